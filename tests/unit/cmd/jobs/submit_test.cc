#include "cmd/jobs/submit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/scratch.h"

namespace gp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

JobFlags FlagsOf(std::vector<std::string> words) {
  CLI::App app;
  JobFlags flags;
  AddJobFlags(app, flags);
  app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  return flags;
}

TEST(SubmitPairs, AreSplitAtTheFirstEqualsSign) {
  EXPECT_THAT(*SplitPairs("--env", {"A=1", "B=", "C=x=y", "D= z "}),
              ElementsAre(Pair("A", "1"), Pair("B", ""), Pair("C", "x=y"), Pair("D", " z ")));
  EXPECT_TRUE(SplitPairs("--env", {})->empty());
}

TEST(SubmitPairs, WhatIsNoneIsNamedWithItsFlag) {
  for (const char* text : {"A", "", "=1", "="}) {
    const auto pairs = SplitPairs("--label", {"ok=1", text});
    ASSERT_FALSE(pairs.has_value()) << text;
    EXPECT_EQ(pairs.error(),
              InvalidArgument("--label: \"" + std::string(text) + "\" is not NAME=VALUE"));
  }
  EXPECT_THAT(SplitPairs("--env", {"\x1b[31m"}).error().message, HasSubstr("\\x1b"));
}

TEST(SubmitFlags, ATimeLimitMayBeWrittenAsInSlurm) {
  const std::pair<const char*, const char*> cases[] = {
      {"30", "1800s"},        {"1:30", "90s"}, {"1:00:00", "3600s"}, {"1-12", "129600s"},
      {"1-12:30", "131400s"}, {"90s", "90s"},  {"1d12h", "1d12h"}};
  for (const auto& [text, limit] : cases)
    EXPECT_EQ(FlagsOf({"--time", text}).texts.at("--time-limit"), limit) << text;
  for (const char* none : {"0", "UNLIMITED", "INFINITE"})
    EXPECT_FALSE(FlagsOf({"--time", none}).texts.contains("--time-limit")) << none;
  EXPECT_EQ(FlagsOf({"--time-limit", "30"}).texts.at("--time-limit"), "30")
      << "our own flag takes our own form, which has units";
}

TEST(SubmitFlags, OnesThatMayBeGivenOftenKeepEveryValue) {
  const JobFlags flags = FlagsOf({"--env", "A=1", "--env", "B=2", "--label", "team=nlp", "--secret",
                                  "X", "--secret", "Y", "--node-label", "zone=b"});
  EXPECT_THAT(flags.environment, ElementsAre(Pair("A", "1"), Pair("B", "2")));
  EXPECT_THAT(flags.labels, ElementsAre(Pair("team", "nlp")));
  EXPECT_THAT(flags.node_labels, ElementsAre(Pair("zone", "b")));
  EXPECT_EQ(flags.texts.at("--secret"), "X,Y");
}

TEST(SubmitFlags, WhatIsNotGivenIsNotSet) {
  const JobFlags flags = FlagsOf({});
  EXPECT_TRUE(flags.texts.empty());
}

TEST(SubmitFlags, NumaNodesMayBeCrossedOrNot) {
  EXPECT_EQ(FlagsOf({"--allow-cross-numa"}).texts.at("--allow-cross-numa"), "true");
  EXPECT_EQ(FlagsOf({"--no-cross-numa"}).texts.at("--allow-cross-numa"), "false");
}

TEST(SubmitFlags, AnEnvironmentVariableWithoutAValueIsAUsageError) {
  EXPECT_THROW(FlagsOf({"--env", "A"}), CLI::ValidationError);
}

TEST(SubmitGang, IsSaidOnlyOfGpusOnSeveralNodes) {
  const auto text = [](int gpus, int nodes) {
    JobSpec spec;
    spec.resources.gpus.count = gpus;
    spec.resources.nodes = nodes;
    return GangText(spec);
  };
  EXPECT_EQ(text(8, 1), "");
  EXPECT_EQ(text(0, 4), "");
  EXPECT_EQ(text(1, 2), "2 GPUs on 2 nodes");
  EXPECT_EQ(text(8, 16), "128 GPUs on 16 nodes");
}

TEST(SubmitRequestId, IsLongAndNeverTheSame) {
  const std::string first = NewRequestId();
  EXPECT_GE(first.size(), 26u);
  EXPECT_NE(first, NewRequestId());
  EXPECT_EQ(first.find_first_not_of("0123456789abcdefghjkmnpqrstvwxyz"), std::string::npos);
}

class JobFileTest : public ::testing::Test {
 protected:
  const Scratch scratch_;
};

TEST_F(JobFileTest, IsReadWholeUpToItsLimit) {
  EXPECT_EQ(*ReadJobFile(scratch_.Write("job.yaml", std::string("a\0b\n", 4))),
            std::string("a\0b\n", 4));
  EXPECT_EQ(*ReadJobFile(scratch_.Write("job.yaml", "")), "");
  EXPECT_EQ(ReadJobFile(scratch_.Write("job.yaml", std::string(1 << 20, 'x')))->size(), 1u << 20);
  const auto larger = ReadJobFile(scratch_.Write("job.yaml", std::string((1 << 20) + 1, 'x')));
  ASSERT_FALSE(larger.has_value());
  EXPECT_EQ(larger.error(),
            InvalidArgument(scratch_.In("job.yaml") + ": a job file has at most 1 MiB"));
}

TEST_F(JobFileTest, WhatCannotBeReadIsNamedWithTheReason) {
  EXPECT_EQ(ReadJobFile(scratch_.In("none")).error(),
            InvalidArgument(scratch_.In("none") + ": No such file or directory"));
  EXPECT_EQ(ReadJobFile(scratch_.path()).error(),
            InvalidArgument(scratch_.path() + ": Is a directory"));
}

TEST_F(JobFileTest, ItsPathIsWholeForTheJobToName) {
  const std::string real = std::filesystem::canonical(scratch_.path());
  std::filesystem::create_directories(scratch_.In("a"));
  scratch_.Write("job.yaml", "");
  EXPECT_EQ(JobFilePath(scratch_.In("a/../job.yaml")), real + "/job.yaml");
  EXPECT_EQ(JobFilePath("-"), "") << "standard input has no path";
  const std::string here = std::filesystem::current_path();
  std::filesystem::current_path(scratch_.path());
  EXPECT_EQ(JobFilePath("job.yaml"), real + "/job.yaml");
  std::filesystem::current_path(here);
}

TEST_F(JobFileTest, ADirectoryThatRootsServiceUserCannotEnterIsNotTheJobs) {
  const std::string here = std::filesystem::current_path();
  std::filesystem::create_directories(scratch_.In("open/inner"));
  ASSERT_EQ(chmod(scratch_.path().c_str(), 0755), 0);
  std::filesystem::current_path(scratch_.In("open/inner"));
  const std::string inner = std::filesystem::current_path();
  EXPECT_EQ(CallerDirectory(""), inner);
  ASSERT_EQ(chmod(scratch_.In("open").c_str(), 0700), 0);
  EXPECT_EQ(CallerDirectory(""), geteuid() == 0 ? "" : inner);
  ASSERT_EQ(chmod(scratch_.In("open").c_str(), 0755), 0);
  std::filesystem::current_path(here);
}

}  // namespace
}  // namespace gp
