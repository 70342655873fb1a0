// An agent killed at each call with which it starts an attempt, and a supervisor at each of its
// own: the job ran once or not at all, and once its exit code was written it is not lost.

#include <fcntl.h>
#include <sys/wait.h>

#include "adapters/outbound/process/attempt_directory.h"
#include "tests/support/file_faults/file_faults.h"
#include "tests/support/runner_harness.h"
#include "tests/support/wait_until.h"

namespace gp {
namespace {

constexpr int kExitCode = 7;
constexpr uint64_t kCallsMax = 64;

class AttemptFiles : public testing::TestWithParam<FilePlan::Fault> {
 protected:
  LaunchSpec Job() {
    std::filesystem::remove(Marks());
    LaunchSpec spec =
        host_.Shell(Key(), "echo ran >> " + Marks() + "; exit " + std::to_string(kExitCode));
    // More than a page, so that it can be torn.
    spec.environment.push_back("LONG=" + std::string(9'000, 'x'));
    return spec;
  }
  std::string Key() const { return "job" + std::to_string(number_); }
  std::string Marks() const { return host_.directory() + "/marks"; }
  int Runs() const {
    std::ifstream file(Marks());
    return static_cast<int>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }
  bool IsKnown() {
    const auto all = host_.runner->Observe();
    return std::ranges::any_of(all,
                               [&](const AttemptStatus& status) { return status.key == Key(); });
  }
  // What the next agent makes of it.
  AttemptStatus Judge() {
    const AttemptStatus status = host_.AwaitEnd(Key());
    EXPECT_LE(Runs(), 1);
    if (status.cause == EndCause::kExit) {
      EXPECT_EQ(status.exit_code, kExitCode);
      EXPECT_EQ(Runs(), 1);
    } else {
      EXPECT_EQ(status.cause, EndCause::kSupervisorLost) << status.message;
    }
    EXPECT_TRUE(host_.runner->Forget(Key()));
    return status;
  }
  // Of the status file, by itself.
  bool ExitIsWritten() const {
    std::ifstream file(host_.state() + "/attempts/" + Key() + "/status", std::ios::binary);
    const auto status = DecodeStatus(std::string(std::istreambuf_iterator<char>(file), {}));
    return status && status->phase == AttemptPhase::kExited;
  }

  NoIsolation isolation_;
  RunnerHarness host_{isolation_};
  int number_ = 0;
};

TEST_P(AttemptFiles, AnAgentIsKilledAtEveryCall) {
  int never = 0;
  int whole = 0;
  bool was_killed = true;
  for (uint64_t at = 0; was_killed && at < kCallsMax && !HasFailure(); ++at, ++number_) {
    SCOPED_TRACE("call " + std::to_string(at));
    const LaunchSpec job = Job();
    host_.runner.reset();
    std::filesystem::remove_all(host_.state() + "/bin");
    const pid_t agent = fork();
    if (agent == 0) {
      WatchFiles(host_.state(), {.fault = GetParam(), .at = at});
      host_.Open();
      (void)host_.runner->Start(job);
      while (host_.Status_(Key()).phase != AttemptPhase::kExited) host_.Poll(50);
      WatchFiles("");
      _exit(0);
    }
    int status = 0;
    waitpid(agent, &status, 0);
    was_killed = WIFSIGNALED(status);
    host_.Open();
    if (!IsKnown()) {
      EXPECT_EQ(Runs(), 0);
      ++never;
      continue;
    }
    whole += Judge().cause == EndCause::kExit ? 1 : 0;
  }
  EXPECT_FALSE(was_killed) << "more calls than expected";
  EXPECT_GT(never, 0);
  EXPECT_GT(whole, 0);
}

TEST_P(AttemptFiles, ASupervisorIsKilledAtEveryCall) {
  const std::string program = host_.directory() + "/supervisor";
  std::filesystem::copy_file(GP_BINARY_DIR "/bin/crash_supervisor", program);
  int lost = 0;
  int whole = 0;
  for (uint64_t at = 0; at < 16 && !HasFailure(); ++at, ++number_) {
    SCOPED_TRACE("call " + std::to_string(at));
    std::ofstream(program + ".plan") << host_.state() << "\n"
                                     << static_cast<int>(GetParam()) << " " << at << "\n";
    host_.runner.reset();
    auto opened = SupervisedAttemptRunner::Open(
        {.state_directory = host_.state(), .supervisor_path = program}, isolation_);
    ASSERT_TRUE(opened) << opened.error().message;
    ASSERT_TRUE((*opened)->Start(Job()));
    opened->reset();  // the agent is away: what there is to know is in the files
    const auto attempt = AttemptDirectory::Open(
        open((host_.state() + "/attempts").c_str(), O_RDONLY | O_CLOEXEC), Key());
    ASSERT_TRUE(attempt);
    EXPECT_TRUE(WaitUntil([&] { return !attempt->IsHeld(); }));
    const bool is_written = ExitIsWritten();
    host_.Open();
    const AttemptStatus status = Judge();
    if (is_written) {
      EXPECT_EQ(status.cause, EndCause::kExit) << status.message;
    }
    ++(status.cause == EndCause::kExit ? whole : lost);
  }
  EXPECT_GT(lost, 2);
  EXPECT_GT(whole, 2);
}

INSTANTIATE_TEST_SUITE_P(All, AttemptFiles,
                         testing::Values(FilePlan::Fault::kKill, FilePlan::Fault::kTear),
                         [](const auto& one) {
                           return one.param == FilePlan::Fault::kKill ? "Killed" : "Torn";
                         });

}  // namespace
}  // namespace gp
