// What a job says of itself, by the pipe that its supervisor holds.

#include <gmock/gmock.h>
#include <signal.h>

#include "adapters/outbound/process/supervised_attempt_runner.h"
#include "tests/support/runner_harness.h"
#include "tests/support/wait_until.h"

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
  const AttemptStatus status = host_.Run(
      Reporter("progress", "echo 'progress step=3 of=10' > $R; echo 'progress step=x' > $R"));
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
    const AttemptStatus status = host_.Run(
        Reporter(key, "echo abc > $D/" + key + "; echo \"checkpoint step=1 bytes=4 path=$D/" + key +
                          "\" > $R" + pause));
    ASSERT_EQ(status.cause, EndCause::kExit) << key << ": " << status.message;
    ASSERT_EQ(status.progress.checkpoints.size(), 1u) << key;
    EXPECT_TRUE(status.progress.checkpoints[0].is_complete)
        << key << ": " << status.progress.checkpoints[0].fault;
  }
}

TEST_F(ReportTest, ManyCheckpointsAtOnceAreAllLookedAtOrLeftOut) {
  const AttemptStatus status = host_.Run(Reporter(
      "many",
      "for i in $(seq 1 200); do echo \"checkpoint step=$i path=/etc/hostname\" > $R; done"));
  EXPECT_EQ(status.cause, EndCause::kExit) << status.message;
  ASSERT_EQ(status.progress.checkpoints.size(), kCheckpointReportsMax);
  EXPECT_EQ(status.progress.checkpoints.back().number, 200);  // the newest counts
  EXPECT_TRUE(status.progress.checkpoints.back().is_complete);
}

TEST_F(ReportTest, SurplusIsRemovedBelowTheDirectoryAndNowhereElse) {
  const std::string directory = host_.directory() + "/c";
  host_.Start(Reporter("discard", R"(
    mkdir -p $D/c/old/deep $D/other/kept
    touch $D/c/old/deep/file $D/c/file $D/c/new $D/other/kept/file
    ln -s $D/other $D/c/link
    echo 'progress step=1' > $R
    while [ ! -e $D/end ]; do sleep 0.02; done)"));
  host_.Await("discard", [](const AttemptStatus& status) { return status.progress.step == 1; });
  const auto is_there = [&](const std::string& name) {
    return access((host_.directory() + name).c_str(), F_OK) == 0;
  };
  const auto await_gone = [&](const std::string& name) {
    EXPECT_TRUE(WaitUntil([&] { return !is_there(name); }));
    EXPECT_FALSE(is_there(name)) << name;
  };
  // What must stay comes first: when the others are gone, it has been tried.
  const std::vector<std::string> stays = {directory + "/link/kept", directory + "/../other",
                                          directory, directory + "/none", "/nowhere"};
  std::vector<std::string> paths = stays;
  paths.push_back(directory + "/old");
  paths.push_back(directory + "//file/");
  host_.runner->Discard("discard", directory, paths);
  await_gone("/c/old");
  await_gone("/c/file");
  // The same list again removes nothing: it may have been written again.
  ASSERT_EQ(mkdir((directory + "/old").c_str(), 0755), 0);
  paths.push_back(directory + "/new");
  host_.runner->Discard("discard", directory, paths);
  await_gone("/c/new");
  EXPECT_TRUE(is_there("/c/old"));
  // It was not surplus for a while, and is again.
  host_.runner->Discard("discard", directory, stays);
  host_.runner->Discard("discard", directory, paths);
  await_gone("/c/old");
  EXPECT_TRUE(is_there("/c/link"));
  EXPECT_TRUE(is_there("/other/kept/file")) << "through no link, and not above";
  ASSERT_EQ(mkdir((host_.directory() + "/end").c_str(), 0755), 0);
  EXPECT_EQ(host_.AwaitEnd("discard").exit_code, 0);
}

TEST_F(ReportTest, NothingAndALinkAreNoCheckpoint) {
  const AttemptStatus status = host_.Run(Reporter("nothing", R"(
    mkdir $D/empty; : > $D/none; ln -s /etc $D/link
    for path in $D/empty $D/none $D/link; do echo "checkpoint path=$path" > $R; done)"));
  ASSERT_EQ(status.progress.checkpoints.size(), 3u);
  EXPECT_EQ(status.progress.checkpoints[0].fault, "it is empty");
  EXPECT_EQ(status.progress.checkpoints[1].fault, "it is empty");
  EXPECT_THAT(status.progress.checkpoints[2].fault, HasSubstr("it is a link"));
}

TEST_F(ReportTest, AFloodOfReportsIsReadInTime) {
  const AttemptStatus status = host_.Run(Reporter(
      "flood", "yes 'progress step=7' | head -c 300000 > $R; echo 'progress step=8' > $R"));
  EXPECT_EQ(status.progress.step, 8);
}

TEST_F(ReportTest, WhatIsTooLongForALineIsLeftOut) {
  const AttemptStatus status = host_.Run(Reporter(
      "long", "head -c 10000 /dev/zero | tr '\\0' x > $R; echo > $R; echo 'progress step=2' > $R"));
  EXPECT_EQ(status.progress.step, 2);
}

TEST_F(ReportTest, TheFirstConditionOfAMetricThatIsMetIsTold) {
  LaunchSpec spec =
      Reporter("limits",
               "echo 'metric step=1 loss=3 lr=0.1' > $R; echo 'metric step=2 loss=9.5' > $R; "
               "echo 'metric step=3 loss=nan' > $R; echo 'metric step=4 lr=-7' > $R; sleep 0.4");
  spec.metric_limits = {{"lr", MetricTest::kBelow, "0"},
                        {"other", MetricTest::kIsNan, ""},
                        {"loss", MetricTest::kIsNan, ""},
                        {"loss", MetricTest::kAbove, "9.5"}};
  AttemptStatus status = host_.Run(spec);
  EXPECT_EQ(status.progress.metric_limit, 3);
  EXPECT_EQ(status.progress.metric_value, "loss is nan at step 3");
  spec.key = "above";
  spec.metric_limits = {{"loss", MetricTest::kAbove, "9"}};
  status = host_.Run(spec);
  EXPECT_EQ(status.progress.metric_limit, 1);
  EXPECT_EQ(status.progress.metric_value, "loss = 9.5 at step 2");
  spec.key = "none";
  spec.metric_limits = {{"loss", MetricTest::kBelow, "3"}, {}};
  EXPECT_EQ(host_.Run(spec).progress.metric_limit, 0);
}

TEST_F(ReportTest, WhoSaysNothingHangsUntilItSaysSomething) {
  LaunchSpec spec =
      Reporter("hang", "sleep 0.6; echo 'progress step=1' > $R; sleep 0.3; echo done");
  spec.hang_after = Duration::Milliseconds(200);
  host_.Start(spec);
  host_.Await("hang", [](const AttemptStatus& status) { return status.progress.is_hung; });
  host_.Await("hang", [](const AttemptStatus& status) { return !status.progress.is_hung; });
  EXPECT_EQ(host_.AwaitEnd("hang").exit_code, 0);
}

TEST_F(ReportTest, TheSignalEndsNobodyWhoDoesNotHandleIt) {
  LaunchSpec spec =
      Reporter("signal", "trap 'echo \"progress step=5\" > $R' USR1; while :; do sleep 0.05; done");
  spec.checkpoint_signal = SIGUSR1;
  spec.checkpoint_interval = Duration::Milliseconds(100);
  host_.Start(spec);
  const AttemptStatus status =
      host_.Await("signal", [](const AttemptStatus& one) { return one.progress.step == 5; });
  EXPECT_EQ(status.phase, AttemptPhase::kRunning);
  host_.runner->Stop("signal", Duration{});
  host_.AwaitEnd("signal");
}

}  // namespace
}  // namespace gp
