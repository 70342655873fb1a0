// Jobs that use too much or will not end.  Each is cleaned up to the last process.

#include <sys/stat.h>

#include "tests/security/isolation/isolated_host.h"

namespace gp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
constexpr HierarchyKind kAbuseHosts[] = {{"Unified", Mechanism::kBest, true},
                                         {"LegacyAlone", Mechanism::kLegacy, false}};

class AbuseTest : public ::testing::TestWithParam<HierarchyKind> {
 protected:
  void SetUp() override {
    GP_SKIP_UNLESS_ROOT();
    CgroupIsolation::Options options;
    options.devices = GetParam().devices;
    options.use_unified = GetParam().use_unified;
    options.devices_required = false;
    host_ = std::make_unique<IsolatedHost>(options);
    if (!host_->isolation->Report().kill_all) {
      host_.reset();
      GTEST_SKIP() << "this kernel or mount layout does not offer " << GetParam().name;
    }
  }
  RunnerHarness& harness() { return *host_->harness; }
  // Runs until `sign` is in the output, then stops at once.  Nothing may be left.
  AttemptStatus StopWhen(const LaunchSpec& spec, const std::string& sign) {
    harness().Start(spec);
    harness().AwaitOutput(spec.key, sign);
    harness().runner->Stop(spec.key, Duration::Milliseconds(20));
    const AttemptStatus status = harness().AwaitEnd(spec.key);
    EXPECT_THAT(IsolatedHost::Processes(kJobUid), IsEmpty());
    // Cgroups can be removed only when they are empty.
    EXPECT_TRUE(harness().runner->Forget(spec.key).has_value());
    return status;
  }
  std::unique_ptr<IsolatedHost> host_;
};

TEST_P(AbuseTest, ForkBomb) {
  // Only builtins once it goes off: at the limit nothing else could be started.
  LaunchSpec spec = host_->Shell(
      "bomb", "trap '' TERM; bomb() { bomb & bomb & echo bombed; while :; do wait; done; }; bomb");
  spec.processes_max = 100;
  StopWhen(spec, "bombed\nbombed\nbombed\nbombed\nbombed\nbombed\nbombed\nbombed\n");
}

TEST_P(AbuseTest, ProcessLimitHolds) {
  LaunchSpec spec =
      host_->Shell("limit", "i=0; while [ $i -lt 40 ]; do sleep 1000 & i=$((i+1)); done; echo all");
  spec.processes_max = 20;
  const AttemptStatus status = harness().Run(spec);
  EXPECT_NE(status.exit_code, 0);
  EXPECT_THAT(harness().Errors("limit"), HasSubstr("fork"));
  EXPECT_THAT(IsolatedHost::Processes(kJobUid), IsEmpty());
}

TEST_P(AbuseTest, DaemonThatLeftItsSession) {
  LaunchSpec spec = host_->Shell(
      "daemon",
      "for i in 1 2 3 4 5; do setsid sh -c 'trap \"\" TERM HUP; (sleep 1000 &) ; sleep "
      "1000' </dev/null >/dev/null 2>&1 & done; sleep 0.1; exit 3");
  EXPECT_EQ(harness().Run(spec).exit_code, 3);
  EXPECT_THAT(IsolatedHost::Processes(kJobUid), IsEmpty());
}

TEST_P(AbuseTest, StoppedProcesses) {
  const AttemptStatus status = StopWhen(
      host_->Shell("stopped", "sh -c 'kill -STOP $$' & sleep 0.05; echo stopped; kill -STOP $$"),
      "stopped");
  EXPECT_EQ(status.cause, EndCause::kStopped);
}

TEST_P(AbuseTest, ZombieFarm) {
  StopWhen(host_->Shell("zombies",
                        "sh -c 'i=0; while [ $i -lt 200 ]; do true & i=$((i+1)); done; echo farm; "
                        "exec sleep 1000'"),
           "farm");
}

TEST_P(AbuseTest, MemoryBomb) {
  LaunchSpec spec = host_->Shell("memory", "head -c 400m /dev/zero | tail >/dev/null");
  spec.memory_bytes_max = 32 << 20;
  const AttemptStatus status = harness().Run(spec);
  EXPECT_EQ(status.cause, EndCause::kOutOfMemory) << status.message;
  EXPECT_THAT(status.message, HasSubstr("33554432 bytes"));
  EXPECT_THAT(IsolatedHost::Processes(kJobUid), IsEmpty());
}

TEST_P(AbuseTest, MemoryBombInShm) {
  LaunchSpec spec = host_->Shell("shm", "head -c 100m /dev/zero > /dev/shm/full; df -k /dev/shm");
  spec.shm_bytes = 4 << 20;
  harness().Run(spec);
  EXPECT_THAT(harness().Errors("shm"), HasSubstr("No space left"));
  EXPECT_THAT(harness().Output("shm"), HasSubstr("4096"));
}

TEST_P(AbuseTest, LogFloodIsBoundedAndBlocksNobody) {
  LaunchSpec flood = host_->Shell("flood", "echo begin; exec yes flood");
  flood.log_bytes_max = 1 << 20;
  harness().Start(flood);
  harness().AwaitRunning("flood");
  struct stat facts = {};
  while (facts.st_size < 8 << 20) {
    ASSERT_EQ(stat(harness().LogPath("flood", ".out").c_str(), &facts), 0);
    usleep(1000);
  }
  EXPECT_EQ(harness().Run(host_->Shell("neighbour", "seq 1 1000")).exit_code, 0);
  EXPECT_EQ(harness().Output("neighbour").size(), 3893u);
  harness().runner->Stop("flood", Duration{});
  harness().AwaitEnd("flood");
  ASSERT_EQ(stat(harness().LogPath("flood", ".out").c_str(), &facts), 0);
  EXPECT_LE(facts.st_blocks * 512, (1 << 20) + (128 << 10));
}

TEST_P(AbuseTest, FileFloodInTmpIsRemoved) {
  const AttemptStatus status = harness().Run(
      host_->Shell("files",
                   "cd /tmp; i=0; while [ $i -lt 100 ]; do mkdir d; cd d; : > f; ln -s / l; "
                   "i=$((i+1)); done; chmod 0 /tmp/d; ls -d /tmp/d"));
  EXPECT_EQ(status.exit_code, 0) << harness().Errors("files");
  EXPECT_TRUE(harness().runner->Forget("files").has_value());
  harness().AwaitNothingLeft();
}

TEST_P(AbuseTest, AKilledSupervisorLeavesNothing) {
  LaunchSpec spec = harness().Shell(
      "lost", "trap '' TERM; setsid sh -c 'trap \"\" TERM HUP; sleep 1000' & echo begun; wait");
  spec = host_->As(kOtherUid, spec);
  harness().Start(spec);
  harness().AwaitOutput("lost", "\n");
  ASSERT_EQ(kill(ParentOf(harness().AwaitRunning("lost").pid), SIGKILL), 0);
  EXPECT_EQ(harness().AwaitEnd("lost").cause, EndCause::kSupervisorLost);
  // Nobody we know reaps these: what is left may be dead, but not alive.
  for (const std::string& process : IsolatedHost::Processes(kOtherUid)) {
    EXPECT_THAT(process, HasSubstr(") Z"));
  }
  EXPECT_TRUE(harness().runner->Forget("lost").has_value());
}

INSTANTIATE_TEST_SUITE_P(Hosts, AbuseTest, ::testing::ValuesIn(kAbuseHosts),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace gp
