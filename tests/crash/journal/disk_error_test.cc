// A disk that is full or fails at each call, once or from then on, while a controller runs and
// while it starts: it goes on, or says what is wrong and stops; and when the disk is well again,
// all acknowledged records are there.

#include <cerrno>

#include "tests/crash/crash_case.h"

namespace gp {
namespace {

constexpr int kRounds = 10;

struct DiskError {
  FilePlan::Fault fault;
  int error;
  const char* name;
};

class DiskErrors : public CrashCase, public testing::WithParamInterface<DiskError> {
 protected:
  FilePlan Plan(uint64_t at) const {
    return {.fault = GetParam().fault, .at = at, .error = GetParam().error, .counts_reads = true};
  }

  void Check(const Ending& ending, uint64_t at) {
    ASSERT_FALSE(ending.killed) << "died at call " << at << ": " << ending.words;
    if (ending.exit_code != 0) {
      EXPECT_NE(ending.words.find("journal.db"), std::string::npos)
          << "call " << at << ": " << ending.words;
    }
    ASSERT_EQ(Judge(directory_, witness_), "")
        << "failed at call " << at << "; it said: " << ending.words;
  }
  static uint64_t CallsOf(const std::string& directory, const std::function<Status()>& run) {
    WatchFiles(directory, {.counts_reads = true});
    EXPECT_TRUE(run());
    const uint64_t calls = WatchedCalls().size();
    WatchFiles("");
    return calls;
  }
};

TEST_P(DiskErrors, WhileItRuns) {
  const auto live = [&] {
    return Live(directory_, witness_, WorkloadKind::kSnapshots, {.rounds = kRounds});
  };
  const uint64_t calls = CallsOf(directory_, live);
  EXPECT_GT(calls, 200U);
  const Points points(29);
  int stopped = 0;
  for (uint64_t at = points.offset; at < calls; at += points.stride) {
    Empty();
    witness_.Clear();
    const Ending ending = InChild(directory_, Plan(at), live);
    ASSERT_NO_FATAL_FAILURE(Check(ending, at));
    stopped += ending.exit_code != 0 ? 1 : 0;
  }
  EXPECT_GT(stopped, 0);
  Tell("calls, reads too", calls);
}

TEST_P(DiskErrors, WhileItStarts) {
  witness_.Clear();
  // Killed, so that there is something to recover.
  const Ending lived = InChild(directory_, {.fault = FilePlan::Fault::kKill, .at = 130}, [&] {
    return Live(directory_, witness_, WorkloadKind::kSnapshots, {.rounds = kRounds});
  });
  ASSERT_TRUE(lived.killed);
  KeepCopy();
  const std::string witnessed = witness_.Save();
  const uint64_t calls =
      CallsOf(directory_, [&] { return Restart(directory_, witness_, "again"); });
  EXPECT_GT(calls, 20U);
  const Points points(5);
  for (uint64_t at = points.offset; at < calls; at += points.stride) {
    BackToCopy();
    witness_.Restore(witnessed);
    const Ending ending =
        InChild(directory_, Plan(at), [&] { return Restart(directory_, witness_, "again"); });
    ASSERT_NO_FATAL_FAILURE(Check(ending, at));
  }
}

INSTANTIATE_TEST_SUITE_P(All, DiskErrors,
                         testing::Values(DiskError{FilePlan::Fault::kFailOnce, ENOSPC, "FullOnce"},
                                         DiskError{FilePlan::Fault::kFailOn, ENOSPC, "Full"},
                                         DiskError{FilePlan::Fault::kFailOnce, EIO, "ErrorOnce"},
                                         DiskError{FilePlan::Fault::kFailOn, EIO, "Errors"}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace gp
