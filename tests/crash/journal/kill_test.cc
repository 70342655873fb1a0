// SIGKILL instead of each call that changes a file, in the middle of each write, and again during
// the recovery that follows; and the machine's power lost at each.

#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "tests/crash/crash_case.h"

namespace gp {
namespace {

constexpr int kKillRounds = 30;

class Kill : public CrashCase, public testing::WithParamInterface<WorkloadKind> {
 protected:
  // The life from its beginning, until the plan ends it; false: nothing did.
  bool LiveUntil(const FilePlan& plan) {
    Empty();
    witness_.Clear();
    const Ending ending = InChild(directory_, plan, [&] {
      return Live(directory_, witness_, GetParam(), {.rounds = kKillRounds});
    });
    EXPECT_TRUE(ending.killed || ending.exit_code == 0) << ending.words;
    return ending.killed;
  }
  // The recovery, killed at each of its points; their number.
  uint64_t KillRecoveries(uint64_t offset) {
    const uint64_t stride = NumberOf("GP_RECOVERY_STRIDE", 7);
    KeepCopy();
    const std::string witnessed = witness_.Save();
    uint64_t kills = 0;
    for (uint64_t at = offset % stride;; at += stride, ++kills) {
      BackToCopy();
      witness_.Restore(witnessed);
      const FilePlan plan{.fault = FilePlan::Fault::kKill, .at = at};
      const Ending ending =
          InChild(directory_, plan, [&] { return Restart(directory_, witness_, "again"); });
      EXPECT_TRUE(ending.killed || ending.exit_code == 0) << ending.words;
      EXPECT_EQ(Judge(directory_, witness_), "") << "killed at call " << at << " of the recovery";
      if (!ending.killed || HasFailure()) return kills;
    }
  }
};

// Else the others would prove nothing of dropped records.
TEST_P(Kill, NotAtAll) {
  ASSERT_FALSE(LiveUntil({.fault = FilePlan::Fault::kKill, .at = UINT64_MAX}));
  ASSERT_EQ(Judge(directory_, witness_), "");
  const auto journal = *SqliteJournal::Open(directory_ + "/journal.db");
  const bool drops = GetParam() == WorkloadKind::kDrops;
  EXPECT_EQ(*journal->BaseNumber() > 0, drops);
  EXPECT_EQ(journal->ReadAfter(0, [](uint64_t, std::string_view) { return Ok(); }).has_value(),
            !drops)
      << "nothing was swept";
}

TEST_P(Kill, AtEveryCall) {
  const Points points(41);
  uint64_t kills = 0;
  for (uint64_t at = points.offset; LiveUntil({.fault = FilePlan::Fault::kKill, .at = at});
       at += points.stride, ++kills) {
    ASSERT_EQ(Judge(directory_, witness_), "") << "killed at call " << at;
  }
  EXPECT_GT(kills * points.stride, 290U);
  Tell("kills", kills);
}

TEST_P(Kill, InTheMiddleOfEveryWrite) {
  const Points points(43);
  uint64_t tried = 0;
  for (uint64_t at = points.offset; LiveUntil({.fault = FilePlan::Fault::kTear, .at = at});
       at += points.stride, ++tried) {
    ASSERT_EQ(Judge(directory_, witness_), "") << "killed in the middle of call " << at;
  }
  Tell("kills in the middle of writes, or before other calls", tried);
}

TEST_P(Kill, AgainDuringRecovery) {
  const Points points(211);
  uint64_t kills = 0;
  for (uint64_t at = points.offset; LiveUntil({.fault = FilePlan::Fault::kKill, .at = at});
       at += points.stride) {
    kills += KillRecoveries(at);
    ASSERT_FALSE(HasFailure()) << "after a kill at call " << at;
  }
  EXPECT_GT(kills, 4U);
  Tell("kills of recoveries", kills);
}

TEST_P(Kill, WithThePowerLost) {
  const Points points(41);
  uint64_t cuts = 0;
  for (uint64_t at = points.offset;; at += points.stride) {
    bool went_on = false;
    for (uint64_t seed = 0; seed < 3; ++seed, ++cuts) {
      went_on = LiveUntil(
          {.fault = FilePlan::Fault::kLosePower, .at = at, .seed = seed == 0 ? 0 : at * 3 + seed});
      ASSERT_EQ(Judge(directory_, witness_), "") << "power lost at call " << at << ", " << seed;
    }
    if (!went_on) break;
  }
  Tell("power cuts", cuts);
}

INSTANTIATE_TEST_SUITE_P(All, Kill,
                         testing::Values(WorkloadKind::kJobs, WorkloadKind::kFaults,
                                         WorkloadKind::kSnapshots, WorkloadKind::kDrops),
                         [](const auto& one) { return std::string(Name(one.param)); });

}  // namespace
}  // namespace gp
