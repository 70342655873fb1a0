// What a job says of itself, by the pipe that its supervisor holds.

#include <gmock/gmock.h>
#include <signal.h>

#include "adapters/outbound/process/supervised_attempt_runner.h"
#include "tests/support/runner_harness.h"

namespace gp {
namespace {

using ::testing::HasSubstr;

class ReportTest : public ::testing::Test {
 protected:
  // A script that finds its pipe in $R.
  LaunchSpec Reporter(const std::string& key, const std::string& script) {
    LaunchSpec spec = host_.Shell(key, script);
    spec.report_pipe = host_.directory() + "/reports/" + key;
    spec.environment.push_back("R=" + spec.report_pipe);
    spec.environment.push_back("D=" + host_.directory());
    spec.environment.push_back("PATH=/usr/bin:/bin");
    return spec;
  }

  NoIsolation isolation_;
  RunnerHarness host_{isolation_};
};

TEST_F(ReportTest, SaysHowFarItIs) {
  const AttemptStatus status = host_.Run(Reporter("progress", "echo 'progress step=3 of=10' > $R; echo 'progress step=x' > $R"));
  EXPECT_EQ(status.progress.step, 3);
  EXPECT_EQ(status.progress.steps, 10);
  EXPECT_THAT(status.progress.refused, HasSubstr("step=x"));
  EXPECT_EQ(status.exit_code, 0);
}

// Its last word and its end come together, in any order.
TEST_F(ReportTest, WhatItSaysLastIsLookedAtWhateverComesFirst) {
  for (int i = 0; i < 60; ++i) {
    const std::string pause = i % 3 == 0 ? "" : i % 3 == 1 ? "; true; true" : "; sleep 0.005";
    const std::string key = "last-" + std::to_string(i);
    const AttemptStatus status =
        host_.Run(Reporter(key, "echo abc > $D/" + key + "; echo \"checkpoint step=1 bytes=4 path=$D/" + key + "\" > $R" + pause));
    ASSERT_EQ(status.cause, EndCause::kExit) << key << ": " << status.message;
    ASSERT_EQ(status.progress.checkpoints.size(), 1u) << key;
    EXPECT_TRUE(status.progress.checkpoints[0].is_complete) << key << ": " << status.progress.checkpoints[0].fault;
  }
}

TEST_F(ReportTest, ManyCheckpointsAtOnceAreAllLookedAtOrLeftOut) {
  const AttemptStatus status = host_.Run(Reporter("many", "for i in $(seq 1 200); do echo \"checkpoint step=$i path=/etc/hostname\" > $R; done"));
  EXPECT_EQ(status.cause, EndCause::kExit) << status.message;
  ASSERT_EQ(status.progress.checkpoints.size(), kCheckpointReportsMax);
  EXPECT_EQ(status.progress.checkpoints.back().number, 200);  // the newest counts
  EXPECT_TRUE(status.progress.checkpoints.back().is_complete);
}

TEST_F(ReportTest, AFloodOfReportsIsReadInTime) {
  const AttemptStatus status = host_.Run(Reporter("flood", "yes 'progress step=7' | head -c 300000 > $R; echo 'progress step=8' > $R"));
  EXPECT_EQ(status.progress.step, 8);
}

TEST_F(ReportTest, WhatIsTooLongForALineIsLeftOut) {
  const AttemptStatus status = host_.Run(Reporter("long", "head -c 10000 /dev/zero | tr '\\0' x > $R; echo > $R; echo 'progress step=2' > $R"));
  EXPECT_EQ(status.progress.step, 2);
}

TEST_F(ReportTest, WhoSaysNothingHangsUntilItSaysSomething) {
  LaunchSpec spec = Reporter("hang", "sleep 0.6; echo 'progress step=1' > $R; sleep 0.3; echo done");
  spec.hang_after = Duration::Milliseconds(200);
  host_.Start(spec);
  host_.Await("hang", [](const AttemptStatus& status) { return status.progress.is_hung; });
  host_.Await("hang", [](const AttemptStatus& status) { return !status.progress.is_hung; });
  EXPECT_EQ(host_.AwaitEnd("hang").exit_code, 0);
}

TEST_F(ReportTest, TheSignalEndsNobodyWhoDoesNotHandleIt) {
  LaunchSpec spec = Reporter("signal", "trap 'echo \"progress step=5\" > $R' USR1; while :; do sleep 0.05; done");
  spec.checkpoint_signal = SIGUSR1;
  spec.checkpoint_interval = Duration::Milliseconds(100);
  host_.Start(spec);
  const AttemptStatus status = host_.Await("signal", [](const AttemptStatus& one) { return one.progress.step == 5; });
  EXPECT_EQ(status.phase, AttemptPhase::kRunning);
  host_.runner->Stop("signal", Duration{});
  host_.AwaitEnd("signal");
}

}  // namespace
}  // namespace gp
