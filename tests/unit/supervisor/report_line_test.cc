#include "supervisor/records/report_line.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(ReportLine, ProgressSaysHowFarItIs) {
  const auto line = ParseReportLine("progress step=1200 of=50000");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kind, ReportKind::kProgress);
  EXPECT_EQ(line->step, 1200);
  EXPECT_EQ(line->steps, 50'000);
}

TEST(ReportLine, ACheckpointHasAPathThatMayHaveBlanksAndWordsInIt) {
  const auto line =
      ParseReportLine("checkpoint  step=7 bytes=42 seconds=12.5 path=/ckpt/my model step=9");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kind, ReportKind::kCheckpoint);
  EXPECT_EQ(line->step, 7);
  EXPECT_EQ(line->bytes, 42);
  EXPECT_EQ(line->took, Duration::Milliseconds(12'500));
  EXPECT_EQ(line->path, "/ckpt/my model step=9");
}

TEST(ReportLine, AScoreIsANumberAsProgramsPrintThem) {
  const std::pair<const char*, int64_t> cases[] = {
      {"0.913", 913'000'000}, {"-2.5", -2'500'000'000},
      {"7", 7'000'000'000},   {"1.12345678949", 1'123'456'789},
      {"-0.000000001", -1},   {"9.313225746154785e-05", 93'132},
      {"+.5", 500'000'000},   {"1E3", 1'000'000'000'000}};
  for (const auto& [text, score] : cases) {
    const auto line = ParseReportLine("checkpoint score=" + std::string(text) + " path=/c");
    ASSERT_TRUE(line) << text;
    EXPECT_TRUE(line->is_scored) << text;
    EXPECT_EQ(line->score, score) << text;
    EXPECT_EQ(line->complaint, "");
  }
  EXPECT_FALSE(ParseReportLine("checkpoint path=/c")->is_scored);
}

// A loss that is no number any more costs nobody a checkpoint.
TEST(ReportLine, ACheckpointCountsWithoutAScoreThatCannotBeRead) {
  for (const char* text :
       {"nan", "inf", "-inf", "", "-", "--1", "1000000000", "1e99", "0x10", "1e", "1.2.3", "a"}) {
    const auto line = ParseReportLine("checkpoint step=4 score=" + std::string(text) + " path=/c");
    ASSERT_TRUE(line) << text;
    EXPECT_FALSE(line->is_scored) << text;
    EXPECT_EQ(line->path, "/c");
    EXPECT_NE(line->complaint.find("score= takes a number"), std::string::npos) << text;
  }
}

TEST(ReportLine, WordsOfAnUnknownNameAreLeftOut) {
  const auto line = ParseReportLine("progress loss=0.25 step=3 epoch=x");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->step, 3);
}

TEST(ReportLine, WhatCannotBeReadIsToldWithTheWord) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "begins with progress, checkpoint, metric or link"},
      {"hello step=1", "\"hello\""},
      {"progress 12", "\"12\""},
      {"progress step=-1", "step= takes a whole number"},
      {"progress step=1.5", "step= takes a whole number"},
      {"progress step=99999999999999999999", "step= takes a whole number"},
      {"checkpoint step=1", "has a path="},
      {"checkpoint step=1 path=relative", "absolute path"},
      {"checkpoint step=1 path=/a\tb", "control characters"},
      {"checkpoint seconds=x path=/a", "seconds= takes a number"},
      {"checkpoint seconds=1. path=/a", "seconds= takes a number"},
      {"checkpoint bytes= path=/a", "bytes= takes a whole number"},
  };
  for (const auto& [text, told] : cases) {
    const auto line = ParseReportLine(text);
    ASSERT_FALSE(line) << text;
    EXPECT_NE(line.error().message.find(told), std::string::npos)
        << text << ": " << line.error().message;
  }
  EXPECT_FALSE(ParseReportLine("checkpoint path=/" + std::string(1024, 'x')));
}

TEST(ReportLine, AMetricHasAnyNumberOfNamesWithNumbers) {
  const auto line = ParseReportLine("metric step=12 train/loss=0.5 lr=3e-4 path=7 of=nan");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kind, ReportKind::kMetric);
  EXPECT_TRUE(line->has_step);
  EXPECT_EQ(line->step, 12);
  EXPECT_EQ(line->steps, 0);
  ASSERT_EQ(line->metrics.size(), 4u);
  EXPECT_EQ(line->metrics[0].name, "train/loss");
  EXPECT_EQ(line->metrics[0].value, 0.5);
  EXPECT_EQ(line->metrics[1].value, 3e-4);
  EXPECT_EQ(line->metrics[2].name, "path");
  EXPECT_EQ(line->complaint, "");
}

TEST(ReportLine, ALinkHasANameAndAUrl) {
  const auto line = ParseReportLine("link wandb=https://wandb.ai/r?a=b=c path=http://10.0.0.7");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kind, ReportKind::kLink);
  EXPECT_EQ(line->links, (std::vector<JobLink>{{"wandb", "https://wandb.ai/r?a=b=c"},
                                               {"path", "http://10.0.0.7"}}));
  EXPECT_EQ(line->complaint, "");
}

TEST(ReportLine, ALinkThatIsNoneLeavesTheOthers) {
  const auto line = ParseReportLine("link a=javascript:alert(1) b=https://b");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->links, (std::vector<JobLink>{{"b", "https://b"}}));
  EXPECT_EQ(line->complaint,
            "\"a=javascript:alert(1)\": a link begins with https:// or http:// and a host");
}

TEST(ReportLine, AMetricThatIsNoneLeavesTheOthers) {
  for (const std::string bad :
       {"loss=tensor(0.5)", "loss=", "lo,ss=1", "=1", "loss=0x10", "seconds=1s"}) {
    const auto line = ParseReportLine("metric a=1 " + bad + " b=2");
    ASSERT_TRUE(line) << bad;
    EXPECT_EQ(line->metrics.size(), 2u) << bad;
    EXPECT_NE(line->complaint.find("\"" + bad + "\""), std::string::npos) << line->complaint;
    EXPECT_FALSE(line->has_step);
  }
  EXPECT_FALSE(ParseReportLine("metric loss"));
  EXPECT_FALSE(ParseReportLine("metric step=x loss=1"));
}

TEST(ReportLine, ALineThatWasCutIsRefused) {
  std::string line = "metric loss=1";
  line.resize(kReportLineMax, ' ');
  EXPECT_TRUE(ParseReportLine(line));
  EXPECT_FALSE(ParseReportLine(line + " "));
}

}  // namespace
}  // namespace gp
