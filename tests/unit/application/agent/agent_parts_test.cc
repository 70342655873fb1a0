#include <gtest/gtest.h>

#include "application/agent/node_facts.h"
#include "application/agent/observe.h"
#include "tests/unit/application/agent/launch_samples.h"

namespace gp {
namespace {

TEST(NodeFacts, JoinsGpusToTheirNumaNodesByBusId) {
  const FoundNode found = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus());
  ASSERT_TRUE(ValidateNodeFacts(found.facts));
  EXPECT_EQ(found.facts.gpus[0].numa, 1);  // position of os id 8
  EXPECT_EQ(found.facts.gpus[1].numa, 0);
  EXPECT_EQ(found.facts.gpus[0].minor, 5);
  EXPECT_EQ(found.facts.gpus[0].memory_mib, 990);
  EXPECT_EQ(found.facts.LinkCount(0, 1), 4);
  EXPECT_EQ(found.facts.LinkCount(1, 0), 4);
  EXPECT_TRUE(found.warnings.empty());
}

TEST(NodeFacts, SaysWhereItHadToGuess) {
  HostFacts host = TwoSockets();
  host.gpus.clear();
  const FoundNode found = MakeNodeFacts("n1", false, host, TwoGpus());
  EXPECT_EQ(found.facts.gpus[0].numa, 0);
  ASSERT_EQ(found.warnings.size(), 2u);
  EXPECT_NE(found.warnings[0].find("GPU-0"), std::string::npos);
}

TEST(Observe, EveryCauseHasItsEnd) {
  AttemptStatus status;
  status.key = "lease-0001";
  status.phase = AttemptPhase::kExited;
  const std::pair<EndCause, LeaseEnd> rows[] = {
      {EndCause::kExit, LeaseEnd::kExited},
      {EndCause::kStopped, LeaseEnd::kStopped},
      {EndCause::kLeaseLost, LeaseEnd::kLeaseLost},
      {EndCause::kOutOfMemory, LeaseEnd::kOutOfMemory},
      {EndCause::kCouldNotStart, LeaseEnd::kCouldNotStart},
      {EndCause::kSupervisorLost, LeaseEnd::kSupervisorLost},
      {EndCause::kPlatformFault, LeaseEnd::kPlatformFault}};
  for (const auto& [cause, end] : rows) {
    status.cause = cause;
    EXPECT_EQ(ToObservation(status)->outcome.end, end);
  }
  status.key = "something else";
  EXPECT_FALSE(ToObservation(status));
}

TEST(Observe, CheckpointsAreToldAsTheyWereFound) {
  AttemptStatus status;
  status.key = "lease-0007";
  status.progress.checkpoints = {
      {1, 10, "/c/1", 5, Duration::Seconds(2), true, "", Instant{3}, true, -7},
      {2, 20, "/c/2", 6, Duration{}, false, "half of it", Instant{4}}};
  const auto seen = ToObservation(status);
  ASSERT_TRUE(seen);
  const std::vector<Checkpoint> expected = {
      {0, 0, 1, 10, "/c/1", 5, Duration::Seconds(2), true, "", Instant{3}, true, -7},
      {0, 0, 2, 20, "/c/2", 6, Duration{}, false, "half of it", Instant{4}}};
  EXPECT_EQ(seen->checkpoints, expected);
}

TEST(Observe, SickGpusAreSaidToBe) {
  const auto codes = [](const GpuHealth& health) {
    std::vector<HealthCode> all;
    const GpuObservation seen = ToObservation(0, ToVitals(health));
    EXPECT_EQ(seen.healthy, seen.findings.empty());
    for (const HealthFinding& finding : seen.findings) all.push_back(finding.code);
    return all;
  };
  using Codes = std::vector<HealthCode>;
  GpuHealth health;
  EXPECT_EQ(codes(health), Codes{});  // what the driver does not tell is not wrong
  health.row_remap = RowRemap{0, 0, true, false};
  EXPECT_EQ(codes(health), Codes{HealthCode::kRemapPending});
  health.row_remap->failed = true;
  EXPECT_EQ(codes(health), (Codes{HealthCode::kRemapPending, HealthCode::kRemapFailed}));
  health = {};
  health.ecc = EccCounts{5'000, 0, 9'000, 9};  // corrected, and uncorrected before its last reset
  health.nvlinks_active = health.nvlinks_total = 18;
  EXPECT_EQ(codes(health), Codes{});
  health.ecc->uncorrected_volatile = 1;
  EXPECT_EQ(codes(health), Codes{HealthCode::kUncorrected});
  health.nvlinks_active = 17;
  EXPECT_EQ(codes(health), (Codes{HealthCode::kLinkDown, HealthCode::kUncorrected}));
  health.lost = true;
  EXPECT_TRUE(ToObservation(0, ToVitals(health)).lost);
  EXPECT_EQ(codes(health), Codes{HealthCode::kLost});
  health = {};
  health.recovery_action = RecoveryAction::kGpuReset;
  EXPECT_EQ(codes(health), Codes{HealthCode::kRecoveryAction});
}

}  // namespace
}  // namespace gp
