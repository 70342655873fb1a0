// Prolog and epilog.

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/support/runner_harness.h"
#include "tests/support/wait_until.h"

namespace gp {
namespace {

using ::testing::HasSubstr;

class HookTest : public ::testing::Test {
 protected:
  std::string Script(const std::string& name, const std::string& text) {
    const std::string path = host_.directory() + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    chmod(path.c_str(), 0755);
    return path;
  }
  NoIsolation isolation_;
  RunnerHarness host_{isolation_};
};

TEST_F(HookTest, RunBeforeAndAfterTheJob) {
  LaunchSpec spec = host_.Shell("both", "echo job >&2; exit 4");
  spec.environment.push_back("SECRET=1");
  spec.prolog = Script("prolog", "echo prolog $GP_ATTEMPT $SECRET");
  spec.epilog = Script("epilog", "echo epilog $GP_EXIT_CODE");
  EXPECT_EQ(host_.Run(spec).exit_code, 4);
  EXPECT_EQ(host_.Errors("both"), "prolog both\njob\nepilog 4\n");
}

TEST_F(HookTest, AFailingPrologPreventsTheJobAndTheEpilogStillRuns) {
  LaunchSpec spec = host_.Shell("prevented", "echo job");
  spec.prolog = Script("prolog", "echo GPU is sick; exit 9");
  spec.epilog = Script("epilog", "echo epilog");
  const AttemptStatus status = host_.Run(spec);
  EXPECT_EQ(status.cause, EndCause::kPlatformFault);
  EXPECT_THAT(status.message, HasSubstr("prolog exited with 9"));
  EXPECT_EQ(host_.Output("prevented"), "");
  EXPECT_EQ(host_.Errors("prevented"), "GPU is sick\nepilog\n");
}

TEST_F(HookTest, AnAbsentPrologIsNamed) {
  LaunchSpec spec = host_.Shell("absent", "echo job");
  spec.prolog = "/no/such/prolog";
  EXPECT_THAT(host_.Run(spec).message,
              HasSubstr("prolog /no/such/prolog: cannot run /no/such/prolog: No such file"));
}

TEST_F(HookTest, TheTimeLimitHolds) {
  LaunchSpec spec = host_.Shell("slow", "exit 3");
  spec.prolog = Script("prolog", "sleep 1000");
  spec.hook_time_limit = Duration::Milliseconds(50);
  EXPECT_THAT(host_.Run(spec).message, HasSubstr("took longer than 50ms"));
  LaunchSpec late = host_.Shell("late", "exit 3");
  late.epilog = Script("epilog", "sleep 1000");
  late.hook_time_limit = Duration::Milliseconds(50);
  const AttemptStatus status = host_.Run(late);
  EXPECT_EQ(status.exit_code, 3);
  EXPECT_EQ(status.cause, EndCause::kExit);
  EXPECT_THAT(status.message, HasSubstr("epilog took longer"));
}

TEST_F(HookTest, StopDuringTheProlog) {
  LaunchSpec spec = host_.Shell("stopped", "echo job");
  spec.prolog = Script("prolog", "echo begun; sleep 1000");
  host_.Start(spec);
  EXPECT_TRUE(WaitUntil([&] { return !host_.Errors("stopped").empty(); }));
  host_.runner->Stop("stopped", Duration::Minutes(1));
  EXPECT_EQ(host_.AwaitEnd("stopped").cause, EndCause::kStopped);
  EXPECT_EQ(host_.Output("stopped"), "");
}

TEST_F(HookTest, ADaemonOfThePrologDoesNotHoldTheEnd) {
  LaunchSpec spec = host_.Shell("daemon", "exit 0");
  spec.prolog = Script("prolog", "setsid sleep 1000 >/dev/null 2>&1 & echo $!");
  EXPECT_EQ(host_.Run(spec).exit_code, 0);
}

}  // namespace
}  // namespace gp
