// Attempts outlive the agent; the lease outlives it too.  Who dies here: the runner object, the
// agent's process, the supervisor.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <filesystem>
#include <thread>

#include "adapters/outbound/process/attempt_directory.h"
#include "tests/support/runner_harness.h"
#include "tests/support/wait_until.h"

namespace gp {
namespace {

using ::testing::HasSubstr;

class SurvivalTest : public ::testing::Test {
 protected:
  // The pid of the supervisor of an attempt: the parent of its main process.
  pid_t SupervisorOf(const std::string& key) { return ParentOf(host_.AwaitRunning(key).pid); }

  NoIsolation isolation_;
  RunnerHarness host_{isolation_};
};

TEST_F(SurvivalTest, ANewRunnerFindsARunningAttempt) {
  const std::string fifo = host_.directory() + "/go";
  mkfifo(fifo.c_str(), 0600);
  host_.Start(host_.Shell("found", "read x < " + fifo + "; exit 7"));
  const AttemptStatus before = host_.AwaitRunning("found");
  host_.Open();
  const AttemptStatus after = host_.Status_("found");
  EXPECT_EQ(after.phase, AttemptPhase::kRunning);
  EXPECT_EQ(after.pid, before.pid);
  EXPECT_EQ(after.started_at, before.started_at);
  std::ofstream(fifo) << "x\n";
  EXPECT_EQ(host_.AwaitEnd("found").exit_code, 7);
}

TEST_F(SurvivalTest, AnExitWhileTheAgentIsAwayIsKept) {
  host_.Start(host_.Shell("away", "exit 9"));
  host_.runner.reset();
  const std::string status = host_.state() + "/attempts/away/status";
  EXPECT_TRUE(WaitUntil([&] { return access(status.c_str(), F_OK) == 0; }));
  host_.Open();
  const AttemptStatus after = host_.AwaitEnd("away");
  EXPECT_EQ(after.exit_code, 9);
  EXPECT_EQ(after.cause, EndCause::kExit);
  EXPECT_GT(after.started_at.ns, 0);
}

// Every program that the agent starts holds copies of its descriptors between fork and exec.
TEST_F(SurvivalTest, NothingIsHeardOfAForgottenAttemptWhoseConnectionAForkHolds) {
  host_.Start(host_.Shell("short", "sleep 1000"));
  host_.AwaitRunning("short");
  const pid_t fork_of_agent = fork();
  if (fork_of_agent == 0) {
    pause();
    _exit(0);
  }
  host_.runner->Stop("short", Duration{});
  host_.AwaitEnd("short");
  ASSERT_TRUE(host_.runner->Forget("short").has_value());
  host_.AwaitNothingLeft();
  pollfd event = {.fd = host_.runner->EventDescriptor(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&event, 1, 0), 0);
  EXPECT_TRUE(host_.runner->Observe().empty());
  kill(fork_of_agent, SIGKILL);
  waitpid(fork_of_agent, nullptr, 0);
}

TEST_F(SurvivalTest, AKilledAgentDisturbsNothing) {
  host_.runner.reset();
  const pid_t agent = fork();
  if (agent == 0) {
    host_.Open();
    (void)host_.runner->Start(host_.Shell("orphan", "echo begun; sleep 0.5; echo done; exit 5"));
    pause();
  }
  host_.AwaitOutput("orphan", "begun");
  kill(agent, SIGKILL);
  waitpid(agent, nullptr, 0);
  host_.Open();
  const AttemptStatus status = host_.AwaitEnd("orphan");
  EXPECT_EQ(status.exit_code, 5);
  EXPECT_EQ(host_.Output("orphan"), "begun\ndone\n");
}

TEST_F(SurvivalTest, TheLeaseEndsAJobWithoutAnyAgent) {
  LaunchSpec spec = host_.Shell("leased", "sleep 1000");
  spec.stop_on_lease_loss = true;
  spec.lease_deadline_boot_ns = RunnerHarness::BootNs() + 300'000'000;
  host_.Start(spec);
  const pid_t supervisor = SupervisorOf("leased");
  host_.runner.reset();
  // Nobody reads, nobody renews.
  EXPECT_TRUE(WaitUntil([&] { return kill(supervisor, 0) != 0; }));
  host_.Open();
  const AttemptStatus status = host_.Status_("leased");
  EXPECT_EQ(status.phase, AttemptPhase::kExited);
  EXPECT_EQ(status.cause, EndCause::kLeaseLost);
  EXPECT_THAT(status.message, HasSubstr("lease"));
}

TEST_F(SurvivalTest, ALostLeaseAllowsAShortGraceOnly) {
  LaunchSpec spec = host_.Shell("deaf", "trap '' TERM; while :; do sleep 0.05; done");
  spec.stop_on_lease_loss = true;
  spec.grace = Duration::Milliseconds(100);
  spec.lease_deadline_boot_ns = RunnerHarness::BootNs() + 200'000'000;
  const AttemptStatus status = host_.Run(spec);
  EXPECT_EQ(status.cause, EndCause::kLeaseLost);
  EXPECT_EQ(status.signal, SIGKILL);
}

TEST_F(SurvivalTest, RenewalsKeepAJob) {
  LaunchSpec spec = host_.Shell("renewed", "sleep 0.6; exit 4");
  spec.stop_on_lease_loss = true;
  spec.lease_deadline_boot_ns = RunnerHarness::BootNs() + 300'000'000;
  host_.Start(spec);
  host_.runner->Renew("renewed", RunnerHarness::BootNs() + 3'600'000'000'000);
  host_.runner->Renew("unknown", 1);
  const AttemptStatus status = host_.AwaitEnd("renewed");
  EXPECT_EQ(status.cause, EndCause::kExit);
  EXPECT_EQ(status.exit_code, 4);
}

TEST_F(SurvivalTest, ALeaseMayBeginWithTheFirstRenewal) {
  LaunchSpec spec = host_.Shell("late", "sleep 1000");
  spec.stop_on_lease_loss = true;
  host_.Start(spec);
  host_.AwaitRunning("late");
  host_.runner->Renew("late", RunnerHarness::BootNs() + 100'000'000);
  EXPECT_EQ(host_.AwaitEnd("late").cause, EndCause::kLeaseLost);
}

TEST_F(SurvivalTest, ALongGraceDoesNotOutliveTheLease) {
  LaunchSpec spec = host_.Shell("slow", "trap '' TERM; echo deaf; while :; do sleep 0.05; done");
  spec.stop_on_lease_loss = true;
  spec.grace = Duration::Milliseconds(200);
  spec.lease_deadline_boot_ns = RunnerHarness::BootNs() + 3'600'000'000'000;
  host_.Start(spec);
  host_.AwaitOutput("slow", "deaf");
  host_.runner->Stop("slow", Duration::Minutes(60));
  host_.runner->Renew("slow", RunnerHarness::BootNs() + 100'000'000);
  const AttemptStatus status = host_.AwaitEnd("slow");
  EXPECT_EQ(status.cause, EndCause::kStopped);
  EXPECT_EQ(status.signal, SIGKILL);
}

TEST_F(SurvivalTest, ALeaseThatRanOutDuringThePrologStartsNothing) {
  LaunchSpec spec = host_.Shell("overdue", "echo job");
  spec.prolog = "/bin/true";
  spec.stop_on_lease_loss = true;
  spec.lease_deadline_boot_ns = RunnerHarness::BootNs() - 1;
  EXPECT_EQ(host_.Run(spec).cause, EndCause::kLeaseLost);
  EXPECT_EQ(host_.Output("overdue"), "");
}

TEST_F(SurvivalTest, AHostThatShutsDownIsNotTheJobsFault) {
  host_.Start(host_.Shell("evicted", "exec sleep 1000"));
  kill(SupervisorOf("evicted"), SIGTERM);
  const AttemptStatus status = host_.AwaitEnd("evicted");
  EXPECT_EQ(status.cause, EndCause::kSupervisorLost);
  EXPECT_THAT(status.message, HasSubstr("host shuts down"));
}

TEST_F(SurvivalTest, OthersRunThroughAnyOutage) {
  LaunchSpec spec = host_.Shell("patient", "sleep 0.3; exit 6");
  spec.stop_on_lease_loss = false;
  spec.lease_deadline_boot_ns = 1;  // long past
  EXPECT_EQ(host_.Run(spec).exit_code, 6);
}

TEST_F(SurvivalTest, ALostSupervisorEndsItsJob) {
  host_.Start(host_.Shell("lost", "exec sleep 1000"));
  const pid_t supervisor = SupervisorOf("lost");
  const int main_pid = host_.Status_("lost").pid;
  kill(supervisor, SIGKILL);
  const AttemptStatus status = host_.AwaitEnd("lost");
  EXPECT_EQ(status.cause, EndCause::kSupervisorLost);
  EXPECT_EQ(status.pid, main_pid);
  EXPECT_GT(status.started_at.ns, 0);
  EXPECT_TRUE(WaitUntil([&] { return kill(main_pid, 0) != 0; }));
  EXPECT_EQ(kill(main_pid, 0), -1);
}

TEST_F(SurvivalTest, ALostNurseryTakesNothingWithItAndIsReplaced) {
  host_.Start(host_.Shell("before", "sleep 0.3; exit 3"));
  const pid_t nursery = ParentOf(SupervisorOf("before"));
  kill(nursery, SIGKILL);
  siginfo_t gone = {};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(nursery), &gone, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(host_.Run(host_.Shell("after", "exit 4")).exit_code, 4);
  EXPECT_EQ(host_.AwaitEnd("before").exit_code, 3);
}

// What was asked for may have been born: it is not asked for again, and its end is waited for.
TEST_F(SurvivalTest, ANurseryThatDoesNotAnswerCostsOneAttemptAndNoMore) {
  host_.Start(host_.Shell("first", "exec sleep 1000"));
  kill(ParentOf(SupervisorOf("first")), SIGSTOP);
  const AttemptStatus status = host_.Run(host_.Shell("second", "echo ran"));
  EXPECT_EQ(status.cause, EndCause::kSupervisorLost);
  EXPECT_EQ(host_.Output("second"), "");
  EXPECT_EQ(host_.Run(host_.Shell("third", "exit 4")).exit_code, 4);
  EXPECT_EQ(host_.Status_("first").phase, AttemptPhase::kRunning);
}

TEST_F(SurvivalTest, ALiveSupervisorOfAnotherVersionIsNotTakenForDead) {
  host_.Start(host_.Shell("elder", "exec sleep 1000"));
  const pid_t supervisor = SupervisorOf("elder");
  host_.runner.reset();
  std::ofstream(host_.state() + "/attempts/elder/launch") << "written by another version";
  host_.Open();
  const AttemptStatus status = host_.Status_("elder");
  EXPECT_NE(status.phase, AttemptPhase::kExited);
  EXPECT_THAT(status.message, HasSubstr("its supervisor runs"));
  EXPECT_FALSE(host_.runner->Forget("elder").has_value());
  kill(supervisor, SIGTERM);
  EXPECT_EQ(host_.AwaitEnd("elder").phase, AttemptPhase::kExited);
}

TEST_F(SurvivalTest, TheNurseryGoesWithItsAgent) {
  host_.Start(host_.Shell("child", "exec sleep 1000"));
  const pid_t nursery = ParentOf(SupervisorOf("child"));
  host_.runner.reset();
  EXPECT_NE(kill(nursery, 0), 0);
  host_.Open();
  EXPECT_EQ(host_.Status_("child").phase, AttemptPhase::kRunning);
}

TEST_F(SurvivalTest, ASupervisorShowsItsAttemptToThoseWhoLook) {
  host_.Start(host_.Shell("seen", "exec sleep 1000"));
  std::ifstream file("/proc/" + std::to_string(SupervisorOf("seen")) + "/cmdline");
  const std::string words((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(std::string(words.c_str()), "gpu-platform-supervisor");
  EXPECT_THAT(words, HasSubstr(std::string("\0seen\0", 6)));
}

TEST_F(SurvivalTest, ASupervisorLostWhileTheAgentIsAwayIsBuriedLater) {
  host_.Start(host_.Shell("lost-away", "exec sleep 1000"));
  const pid_t supervisor = SupervisorOf("lost-away");
  host_.runner.reset();
  kill(supervisor, SIGKILL);
  waitpid(supervisor, nullptr, 0);
  host_.Open();
  EXPECT_EQ(host_.AwaitEnd("lost-away").cause, EndCause::kSupervisorLost);
}

TEST_F(SurvivalTest, AHangingSupervisorGivesWayToStop) {
  host_.Start(host_.Shell("hanging", "exec sleep 1000"));
  const pid_t supervisor = SupervisorOf("hanging");
  kill(supervisor, SIGSTOP);
  for (int i = 0; i < 100'000 && kill(supervisor, 0) == 0; ++i) {
    host_.runner->Stop("hanging", Duration{});
    if (host_.Status_("hanging").phase == AttemptPhase::kExited) break;
  }
  EXPECT_EQ(host_.AwaitEnd("hanging").cause, EndCause::kSupervisorLost);
}

// An agent that is no root runs jobs as itself; they may signal the supervisor, but not read or
// trace it.
TEST_F(SurvivalTest, AJobOfTheAgentsOwnUserCannotReadTheSupervisor) {
  const std::string place = host_.directory() + "/own";
  std::filesystem::create_directory(place);
  chmod(place.c_str(), 0777);
  const std::string output = place + "/0.out";
  const pid_t agent = fork();
  if (agent == 0) {
    if (getuid() == 0 && setresuid(61003, 61003, 61003) != 0) _exit(1);
    auto runner = SupervisedAttemptRunner::Open(
        {.state_directory = place + "/state", .supervisor_path = {}}, isolation_);
    LaunchSpec spec = host_.Shell(
        "own", "cat /proc/$PPID/environ || echo refused; ls /proc/$PPID/fd || echo refused");
    spec.uid = getuid();
    spec.log_directory = place;
    (void)(*runner)->Start(spec);
    while ((*runner)->Observe().at(0).phase != AttemptPhase::kExited) usleep(2000);
    _exit(0);
  }
  waitpid(agent, nullptr, 0);
  std::ifstream file(output);
  EXPECT_EQ(std::string((std::istreambuf_iterator<char>(file)), {}), "refused\nrefused\n");
}

TEST_F(SurvivalTest, AHalfMadeAttemptIsLostAndNotTheJobsFault) {
  std::filesystem::create_directory(host_.state() + "/attempts/half");
  host_.Open();
  const AttemptStatus status = host_.Status_("half");
  EXPECT_EQ(status.cause, EndCause::kSupervisorLost);
  EXPECT_THAT(status.message, HasSubstr("interrupted"));
  EXPECT_EQ(status.phase, AttemptPhase::kExited);
  EXPECT_TRUE(host_.runner->Forget("half").has_value());
  EXPECT_FALSE(std::filesystem::exists(host_.state() + "/attempts/half"));
}

TEST_F(SurvivalTest, AnAgentThatIsJustEndingIsWaitedFor) {
  const std::string state = host_.state() + "/other";
  std::filesystem::create_directories(state + "/attempts");
  const int ending = open((state + "/attempts").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(flock(ending, LOCK_EX), 0);
  std::thread end([ending] {
    usleep(200'000);
    close(ending);
  });
  const auto next =
      SupervisedAttemptRunner::Open({.state_directory = state, .supervisor_path = {}}, isolation_);
  end.join();
  EXPECT_TRUE(next.has_value()) << next.error().message;
}

TEST_F(SurvivalTest, ASecondAgentIsRefused) {
  const auto second = SupervisedAttemptRunner::Open(
      {.state_directory = host_.state(), .supervisor_path = {}}, isolation_);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
}

}  // namespace
}  // namespace gp
