// The runner and the supervisor together, on a host that gives no isolation: starts, ends, logs.

#include "adapters/outbound/process/supervised_attempt_runner.h"

#include <gmock/gmock.h>
#include <signal.h>

#include "tests/support/runner_harness.h"

namespace gp {
namespace {

using ::testing::HasSubstr;

class RunnerTest : public ::testing::Test {
 protected:
  NoIsolation isolation_;
  RunnerHarness host_{isolation_};
};

TEST_F(RunnerTest, ReportsExitCodes) {
  for (const int code : {0, 1, 42, 255}) {
    const std::string key = "exit-" + std::to_string(code);
    const AttemptStatus status = host_.Run(host_.Shell(key, "exit " + std::to_string(code)));
    EXPECT_EQ(status.exit_code, code);
    EXPECT_EQ(status.signal, 0);
    EXPECT_EQ(status.cause, EndCause::kExit);
    EXPECT_EQ(status.message, "");
    EXPECT_GT(status.started_at.ns, 0);
    EXPECT_GE(status.ended_at, status.started_at);
  }
}

TEST_F(RunnerTest, ReportsSignals) {
  for (const int signal : {SIGKILL, SIGSEGV, SIGUSR1}) {
    const std::string key = "signal-" + std::to_string(signal);
    const AttemptStatus status =
        host_.Run(host_.Shell(key, "kill -" + std::to_string(signal) + " $$"));
    EXPECT_EQ(status.signal, signal);
    EXPECT_EQ(status.cause, EndCause::kExit);
  }
}

TEST_F(RunnerTest, SaysWhyAProgramNeverRan) {
  const AttemptStatus absent = host_.Run(host_.Program("absent", {"no-such-program"}));
  EXPECT_EQ(absent.cause, EndCause::kCouldNotStart);
  EXPECT_EQ(absent.message, "cannot run no-such-program: No such file or directory");

  const AttemptStatus unreadable = host_.Run(host_.Program("directory", {"/usr"}));
  EXPECT_THAT(unreadable.message, HasSubstr("cannot run /usr: Permission denied"));

  LaunchSpec nowhere = host_.Shell("nowhere", "true");
  nowhere.working_directory = "/no/such/place";
  EXPECT_THAT(host_.Run(nowhere).message,
              HasSubstr("cannot enter the working directory /no/such/place"));

  LaunchSpec empty = host_.Program("empty", {});
  EXPECT_EQ(host_.Run(empty).message, "there is no program to run");

  LaunchSpec no_logs = host_.Shell("no-logs", "true");
  no_logs.log_directory = "/proc/none";
  const AttemptStatus without_logs = host_.Run(no_logs);
  EXPECT_EQ(without_logs.cause, EndCause::kPlatformFault);
  EXPECT_THAT(without_logs.message, HasSubstr("cannot open the log /proc/none/0.out"));
}

TEST_F(RunnerTest, RefusedIsolationIsAnEndToo) {
  isolation_.refusal = Unsupported("no device rules here");
  const AttemptStatus status = host_.Run(host_.Shell("refused", "true"));
  EXPECT_EQ(status.cause, EndCause::kPlatformFault);
  EXPECT_EQ(status.message, "no device rules here");
  host_.Open();
  EXPECT_EQ(host_.AwaitEnd("refused").message, "no device rules here");
}

TEST_F(RunnerTest, RefusesBadAndDoubleKeys) {
  for (const char* key : {"", "-a", "A", "a/b", "..", "a b"}) {
    const Status started = host_.runner->Start(host_.Shell(key, "true"));
    ASSERT_FALSE(started.has_value()) << key;
    EXPECT_EQ(started.error().code, ErrorCode::kInvalidArgument);
  }
  host_.Start(host_.Shell("twice", "true"));
  EXPECT_EQ(host_.runner->Start(host_.Shell("twice", "true")).error().code, ErrorCode::kConflict);
  host_.AwaitEnd("twice");
  EXPECT_EQ(host_.runner->Start(host_.Shell("twice", "true")).error().code, ErrorCode::kConflict);
}

TEST_F(RunnerTest, GivesTheEnvironmentAndNothingElse) {
  LaunchSpec spec = host_.Program("environment", {"env"});
  spec.environment = {"A=1", "PATH=/usr/bin:/bin"};
  host_.Run(spec);
  EXPECT_EQ(host_.Output("environment"), "A=1\nPATH=/usr/bin:/bin\n");
}

TEST_F(RunnerTest, PassesNoDescriptorsOn) {
  host_.Run(host_.Shell("descriptors", "ls /proc/self/fd"));
  EXPECT_EQ(host_.Output("descriptors"), "0\n1\n2\n3\n");  // 3 is the directory that ls reads
}

TEST_F(RunnerTest, ForgetsOnlyWhatEnded) {
  host_.Start(host_.Shell("long", "sleep 1000"));
  host_.AwaitRunning("long");
  EXPECT_EQ(host_.runner->Forget("long").error().code, ErrorCode::kConflict);
  host_.runner->Stop("long", Duration::Seconds(10));
  const AttemptStatus status = host_.AwaitEnd("long");
  EXPECT_EQ(status.cause, EndCause::kStopped);
  EXPECT_EQ(status.signal, SIGTERM);
  EXPECT_TRUE(host_.runner->Forget("long").has_value());
  EXPECT_TRUE(host_.runner->Observe().empty());
  EXPECT_TRUE(host_.runner->Forget("long").has_value());
}

TEST_F(RunnerTest, KillsAJobThatIgnoresSigterm) {
  host_.Start(host_.Shell("stubborn", "trap '' TERM; echo ready; while :; do sleep 0.1; done"));
  host_.AwaitOutput("stubborn", "ready");
  host_.runner->Stop("stubborn", Duration::Milliseconds(50));
  const AttemptStatus status = host_.AwaitEnd("stubborn");
  EXPECT_EQ(status.signal, SIGKILL);
  EXPECT_EQ(status.cause, EndCause::kStopped);
}

TEST_F(RunnerTest, AShorterGraceTakesEffect) {
  host_.Start(host_.Shell("shorter", "trap '' TERM; echo ready; while :; do sleep 0.1; done"));
  host_.AwaitOutput("shorter", "ready");
  host_.runner->Stop("shorter", Duration::Minutes(60));
  host_.runner->Stop("shorter", Duration::Milliseconds(10));
  EXPECT_EQ(host_.AwaitEnd("shorter").signal, SIGKILL);
}

TEST_F(RunnerTest, WorkersOfADeadShellMayUseTheGrace) {
  host_.Start(host_.Shell(
      "group",
      "sh -c 'trap \"sleep 0.2; echo saved; exit 0\" TERM; echo ready; while :; do sleep "
      "0.05; done' & wait"));
  host_.AwaitOutput("group", "ready");
  host_.runner->Stop("group", Duration::Seconds(15));
  host_.AwaitEnd("group");
  EXPECT_THAT(host_.Output("group"), HasSubstr("saved"));
}

TEST_F(RunnerTest, DaemonsDoNotSurviveTheJob) {
  const AttemptStatus status = host_.Run(
      host_.Shell("daemon",
                  "setsid sh -c 'echo begun; exec >/dev/null 2>&1; exec sleep 1000.987' & "
                  "until grep -q ^sleep /proc/$!/cmdline; do sleep 0.01; done"));
  EXPECT_EQ(status.exit_code, 0);
  EXPECT_EQ(host_.Output("daemon"), "begun\n");
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(process.path() / "cmdline");
    const std::string words((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(words.find("1000.987"), std::string::npos) << process.path() << " lives";
  }
}

TEST_F(RunnerTest, KeepsEveryLineAndTheLastWithoutNewline) {
  const AttemptStatus status =
      host_.Run(host_.Shell("lines", "seq 1 100000; seq 1 1000 >&2; printf end"));
  EXPECT_EQ(status.exit_code, 0);
  std::string expected;
  for (int i = 1; i <= 100'000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_TRUE(host_.Output("lines") == expected + "end");
  EXPECT_EQ(host_.Errors("lines").size(), 3893u);
}

}  // namespace
}  // namespace gp
