// More processes inside a running attempt.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/ioctl.h>

#include "tests/support/runner_harness.h"

namespace gp {
namespace {

using ::testing::HasSubstr;

class ExecTest : public ::testing::Test {
 protected:
  ExecStreams Exec(const std::string& key, ExecSpec spec) {
    auto streams = host_.runner->Exec(key, spec);
    EXPECT_TRUE(streams.has_value()) << streams.error().message;
    return streams.value_or(ExecStreams{});
  }
  static ExecSpec Command(std::vector<std::string> argv) {
    ExecSpec spec;
    spec.argv = std::move(argv);
    return spec;
  }
  static ExecSpec AsMain(std::vector<std::string> argv) {
    ExecSpec spec = Command(std::move(argv));
    spec.as_main = true;
    return spec;
  }
  static ExecSpec OnTerminal(std::vector<std::string> argv) {
    ExecSpec spec = Command(std::move(argv));
    spec.pty = true;
    spec.rows = 40;
    spec.columns = 132;
    return spec;
  }
  // -1: the pipe ended without a status.
  static int ExitOf(const ExecStreams& streams) {
    int32_t code = -1;
    EXPECT_EQ(read(streams.exit_status, &code, sizeof code), 4);
    close(streams.exit_status);
    return code;
  }
  void StartLong(const std::string& key) {
    LaunchSpec spec = host_.Shell(key, "sleep 1000");
    spec.environment.push_back("COLOUR=red");
    host_.Start(spec);
    host_.AwaitRunning(key);
  }

  NoIsolation isolation_;
  RunnerHarness host_{isolation_};
};

TEST_F(ExecTest, StreamsAndExitCode) {
  StartLong("job");
  const ExecStreams streams =
      Exec("job", {.argv = {"sh", "-c", "cat; echo err >&2; echo $COLOUR $SHAPE; exit 11"},
                   .environment = {"SHAPE=round"}});
  ASSERT_EQ(write(streams.input, "hello\n", 6), 6);
  close(streams.input);
  EXPECT_EQ(ReadAll(streams.output), "hello\nred round\n");
  EXPECT_EQ(ReadAll(streams.errors), "err\n");
  EXPECT_EQ(ExitOf(streams), 11);
  EXPECT_EQ(host_.Status_("job").phase, AttemptPhase::kRunning);
}

TEST_F(ExecTest, AddedEnvironmentReplaces) {
  StartLong("job");
  const ExecStreams streams = Exec("job", {.argv = {"env"}, .environment = {"COLOUR=blue"}});
  const std::string output = ReadAll(streams.output);
  EXPECT_THAT(output, HasSubstr("COLOUR=blue\n"));
  EXPECT_THAT(output, ::testing::Not(HasSubstr("red")));
}

TEST_F(ExecTest, TerminalHasItsSize) {
  StartLong("job");
  const ExecStreams streams = Exec("job", OnTerminal({"sh", "-c", "tty; stty size; exit 3"}));
  EXPECT_EQ(streams.errors, -1);
  const std::string output = ReadAll(streams.output);
  EXPECT_THAT(output, HasSubstr("/dev/pts/"));
  EXPECT_THAT(output, HasSubstr("40 132"));
  EXPECT_EQ(ExitOf(streams), 3);
}

TEST_F(ExecTest, TerminalHangsUpWhenTheCallerLeaves) {
  StartLong("job");
  const ExecStreams streams = Exec("job", OnTerminal({"sleep", "1000"}));
  close(streams.input);
  close(streams.output);
  EXPECT_EQ(ExitOf(streams), 128 + SIGHUP);
}

TEST_F(ExecTest, SignalsShowAs128AndMore) {
  StartLong("job");
  EXPECT_EQ(ExitOf(Exec("job", Command({"sh", "-c", "kill -KILL $$"}))), 137);
}

TEST_F(ExecTest, EndsWithTheJob) {
  StartLong("job");
  const ExecStreams streams = Exec("job", Command({"sleep", "1000"}));
  host_.runner->Stop("job", Duration{});
  EXPECT_EQ(ExitOf(streams), 137);
}

TEST_F(ExecTest, SaysWhyNot) {
  StartLong("job");
  EXPECT_THAT(host_.runner->Exec("job", Command({"no-such"})).error().message,
              HasSubstr("cannot run no-such: No such file"));
  EXPECT_EQ(host_.runner->Exec("unknown", Command({"ls"})).error().code, ErrorCode::kNotFound);
  EXPECT_THAT(host_.runner->Exec("job", AsMain({"ls"})).error().message,
              HasSubstr("main process already"));
  EXPECT_THAT(host_.runner->Exec("job", Command({})).error().message, HasSubstr("no program"));
  host_.runner->Stop("job", Duration{});
  host_.AwaitEnd("job");
  EXPECT_EQ(host_.runner->Exec("job", Command({"ls"})).error().code, ErrorCode::kConflict);
}

TEST_F(ExecTest, LargeArguments) {
  StartLong("job");
  const std::string large(120'000, 'x');
  const ExecStreams streams =
      Exec("job", Command({"sh", "-c", "echo ${#0} ${#1} ${#2}", large, large, large}));
  EXPECT_EQ(ReadAll(streams.output), "120000 120000 120000\n");
}

TEST_F(ExecTest, AnInteractiveAttemptWaitsForItsMain) {
  LaunchSpec spec = host_.Program("interactive", {});
  spec.interactive = true;
  host_.Start(spec);
  EXPECT_EQ(host_.AwaitRunning("interactive").pid, 0);
  EXPECT_FALSE(host_.runner->Exec("interactive", AsMain({"no-such"})).has_value());
  const ExecStreams streams = Exec("interactive", AsMain({"sh", "-c", "read x; exit $x"}));
  host_.Await("interactive", [](const AttemptStatus& status) { return status.pid != 0; });
  ASSERT_EQ(write(streams.input, "21\n", 3), 3);
  EXPECT_EQ(ExitOf(streams), 21);
  const AttemptStatus status = host_.AwaitEnd("interactive");
  EXPECT_EQ(status.exit_code, 21);
  EXPECT_EQ(status.cause, EndCause::kExit);
}

TEST_F(ExecTest, AnInteractiveAttemptNobodyUsedCanBeStopped) {
  LaunchSpec spec = host_.Program("unused", {});
  spec.interactive = true;
  host_.Start(spec);
  host_.AwaitRunning("unused");
  host_.runner->Stop("unused", Duration::Minutes(1));
  EXPECT_EQ(host_.AwaitEnd("unused").cause, EndCause::kStopped);
}

TEST_F(ExecTest, AnInteractiveAttemptNobodyEnteredGivesItsDevicesBack) {
  LaunchSpec spec = host_.Program("forgotten", {});
  spec.interactive = true;
  spec.entry_time_limit = Duration::Milliseconds(100);
  const AttemptStatus status = host_.Run(spec);
  EXPECT_EQ(status.cause, EndCause::kCouldNotStart);
  EXPECT_THAT(status.message, HasSubstr("nobody entered the interactive job within 100ms"));
}

TEST_F(ExecTest, AnInteractiveAttemptThatWasEnteredMayTakeItsTime) {
  LaunchSpec spec = host_.Program("entered", {});
  spec.interactive = true;
  spec.entry_time_limit = Duration::Milliseconds(200);
  host_.Start(spec);
  host_.AwaitRunning("entered");
  EXPECT_EQ(ExitOf(Exec("entered", AsMain({"sh", "-c", "sleep 0.4; exit 8"}))), 8);
}

TEST_F(ExecTest, WorksAfterTheAgentCameBack) {
  StartLong("job");
  host_.Open();
  EXPECT_EQ(ExitOf(Exec("job", Command({"sh", "-c", "exit 2"}))), 2);
}

}  // namespace
}  // namespace gp
