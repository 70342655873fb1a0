// Every XID on a node with jobs: what becomes of them and of the GPU, and who is notified.

#include <gtest/gtest.h>

#include "tests/property/faults/expected.h"

namespace gp {
namespace {

constexpr int kXidsMax = 176;

void ExpectGpu(const OneNode& node, int gpu, const Expected& expected) {
  EXPECT_STREQ(Name(node.gpu(gpu).condition), Name(expected.condition));
  EXPECT_STREQ(Name(node.trouble(gpu).remedy), Name(expected.remedy));
  EXPECT_EQ(node.trouble(gpu).errors.size(), expected.is_counted ? 1u : 0u);
  EXPECT_FALSE(node.state().nodes.all[0].draining)
      << "one GPU says nothing about the others of its node";
  const Incident incident = node.incident(gpu);
  EXPECT_EQ(incident.id.value != 0, expected.has_incident);
  EXPECT_EQ(incident.needs_person, expected.needs_person);
  EXPECT_STREQ(Name(incident.remedy), Name(expected.remedy));
  EXPECT_EQ(node.state().faults.incidents.size(), expected.has_incident ? 1u : 0u);
}

void ExpectFate(OneNode& node, JobId job, Fate expected, const char* who,
                Duration after = Duration::Seconds(30)) {
  EXPECT_STREQ(Name(node.EndAndJudge(job, after)), Name(expected)) << who;
}

void ExpectSound(const OneNode& node) {
  EXPECT_TRUE(node.cluster().broken().empty()) << node.cluster().broken().front();
  EXPECT_TRUE(node.cluster().ReplayAgrees());
}

class FaultTable : public testing::TestWithParam<int> {};

TEST_P(FaultTable, HitsAJobOfOneGpu) {
  const Expected expected = ExpectedOf(GetParam());
  OneNode node;
  const JobId named = node.Run(1);
  const JobId other = node.Run(2);
  const int gpu = node.GpuOf(named);
  node.Report(node.Xid(gpu, GetParam(), named));
  ExpectGpu(node, gpu, expected);
  ExpectFate(node, other, Fate::kUntouched, "the job that uses other GPUs");
  ExpectFate(node, named, expected.named, "the job that is named", Duration::Seconds(30));
  ExpectSound(node);
}

TEST_P(FaultTable, HitsOneOfTwoOnAGpu) {
  const Expected expected = ExpectedOf(GetParam());
  OneNode node;
  const JobId named = node.Run(1, 500);
  const JobId mate = node.Run(1, 500);
  const int gpu = node.GpuOf(named);
  ASSERT_EQ(node.GpuOf(mate), gpu);
  node.Report(node.Xid(gpu, GetParam(), named));
  ExpectGpu(node, gpu, expected);
  ExpectFate(node, named, expected.named, "the job that is named");
  ExpectFate(node, mate, expected.mate, "the job beside it", Duration{});
  ExpectSound(node);
}

TEST_P(FaultTable, HitsAJobOfTwoGpus) {
  const Expected expected = ExpectedOf(GetParam());
  OneNode node;
  const JobId linked = node.Run(2);
  const JobId other = node.Run(1);
  const int gpu = node.GpuOf(linked);
  node.Report(node.Xid(gpu, GetParam(), linked));
  EXPECT_STREQ(Name(node.gpu(gpu).condition), Name(expected.condition));
  ExpectFate(node, other, Fate::kUntouched, "the job that uses another GPU");
  ExpectFate(node, linked, expected.linked, "the job that is named");
  ExpectSound(node);
}

TEST_P(FaultTable, ExcusesNoEndThatComesLater) {
  const Expected expected = ExpectedOf(GetParam());
  if (expected.named == Fate::kRestarted) return;  // ended at once
  OneNode node;
  const JobId named = node.Run(1);
  node.Report(node.Xid(node.GpuOf(named), GetParam(), named));
  const Fate later = expected.named == Fate::kForgiven ? Fate::kNoted : expected.named;
  ExpectFate(node, named, later, "a minute and a second later", Duration::Seconds(61));
}

TEST_P(FaultTable, HitsAnIdleGpu) {
  Expected expected = ExpectedOf(GetParam());
  OneNode node;
  node.Report(node.Xid(3, GetParam()));
  // Whoever was hit is nobody: what only a program's restart would answer leaves no trace.
  expected.is_counted = false;
  expected.has_incident =
      expected.has_incident && (expected.remedy != GpuRemedy::kNone || expected.needs_person);
  ExpectGpu(node, 3, expected);
  ExpectSound(node);
}

INSTANTIATE_TEST_SUITE_P(EveryXid, FaultTable, testing::Range(1, kXidsMax + 1),
                         [](const auto& about) { return "Xid" + std::to_string(about.param); });

TEST(FaultTableItself, CountsAsNvidiaDoes) {
  std::map<std::string_view, int> sizes;
  for (int xid = 1; xid <= kXidsMax; ++xid) ++sizes[BucketOf(xid)];
  EXPECT_EQ(sizes["unused"], 61);
  EXPECT_EQ(sizes["RESTART_APP"], 48);
  EXPECT_EQ(sizes["IGNORE"], 21);
  EXPECT_EQ(sizes["RESET_GPU"], 14);
  EXPECT_EQ(sizes["WORKFLOW_NVLINK5_ERR"], 7);
  EXPECT_EQ(sizes[""], 15) << "11 of the catalogue and 4 of the header";
  EXPECT_EQ(sizes["not listed"], 0);
}

TEST(FaultTableItself, TheSecondWithinADayOfAnUnusedOneAsksAPerson) {
  for (int xid = 1; xid <= kXidsMax; ++xid) {
    if (BucketOf(xid) != "unused") continue;
    SCOPED_TRACE(xid);
    OneNode node;
    const JobId named = node.Run(1);
    const int gpu = node.GpuOf(named);
    node.Report(node.Xid(gpu, xid, named));
    node.Advance(Duration::Minutes(23 * 60));
    node.Report(node.Xid(gpu, xid, named));
    EXPECT_STREQ(Name(node.gpu(gpu).condition), "QUARANTINED");
    EXPECT_STREQ(Name(node.trouble(gpu).remedy), "operator");
    EXPECT_TRUE(node.incident(gpu).needs_person);
    ExpectFate(node, named, Fate::kForgiven, "the job that is named");
  }
}

TEST(FaultTableItself, TheNextAfterADayIsTheFirstAgain) {
  OneNode node;
  const JobId named = node.Run(1);
  const int gpu = node.GpuOf(named);
  node.Report(node.Xid(gpu, 999, named));
  node.Advance(Duration::Minutes(24 * 60 + 1));
  node.Report(node.Xid(gpu, 999, named));
  EXPECT_STREQ(Name(node.gpu(gpu).condition), "AVAILABLE");
  EXPECT_STREQ(Name(node.trouble(gpu).remedy), "none");
}

// As many as are remembered, and more, of numbers that say nothing about the GPU.
TEST(FaultTableItself, ACrashLoopHidesNoRepetition) {
  OneNode node;
  const JobId named = node.Run(1);
  const int gpu = node.GpuOf(named);
  node.Report(node.Xid(gpu, 999, named));
  for (int i = 0; i < 100; ++i) {
    node.Advance(Duration::Seconds(10));
    for (const int xid : {31, 43, 45}) node.Report(node.Xid(gpu, xid, named));
  }
  EXPECT_LE(node.trouble(gpu).xids.size(), kMarksMax);
  node.Report(node.Xid(gpu, 999, named));
  EXPECT_STREQ(Name(node.gpu(gpu).condition), "QUARANTINED");
  EXPECT_STREQ(Name(node.trouble(gpu).remedy), "operator");
}

TEST(FaultTableItself, NvlinkErrorsThatAreNotFatalAreNoted) {
  for (int xid = 144; xid <= 150; ++xid) {
    SCOPED_TRACE(xid);
    OneNode node;
    const JobId linked = node.Run(2);
    FaultSignal signal = node.Xid(node.GpuOf(linked), xid, linked);
    signal.is_fatal = false;
    node.Report(signal);
    ExpectGpu(node, node.GpuOf(linked), {});
    ExpectFate(node, linked, Fate::kNoted, "the job that is named");
  }
}

// The line between what may take a GPU out of service at its first report and what must not.
TEST(FaultTableItself, LeavesMostCodesInService) {
  int in_service = 0;
  for (int xid = 1; xid <= kXidsMax; ++xid) {
    if (BucketOf(xid) != "unused" && ExpectedOf(xid).condition == GpuCondition::kAvailable &&
        xid != 154 && xid <= 172)
      ++in_service;
  }
  EXPECT_EQ(in_service, 80)
      << "79 by the count of immediate actions, and 159 whose action depends on who uses it";
}

TEST(FaultTableItself, ACodeThatIsInNoListIsForgivenOnce) {
  for (const int xid : {177, 500, 1023}) {
    OneNode node;
    const JobId named = node.Run(1);
    const int gpu = node.GpuOf(named);
    node.Report(node.Xid(gpu, xid, named));
    ExpectGpu(node, gpu, ExpectedOf(1));
    ExpectFate(node, named, Fate::kForgiven, "the job that is named");
  }
}

}  // namespace
}  // namespace gp
