#include "rsh/follow.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rsh/frame.h"
#include "rsh/io.h"
#include "rsh/session.h"

namespace gp::rsh {
namespace {

constexpr int kLookMs = 200;
constexpr useconds_t kBetweenTriesUs = 100'000;
constexpr int kTriesBeforeWord = 300;
constexpr int kStopMs = 10'000;
constexpr int kReapMsOfStop = 20;

class Follower {
 public:
  Follower(const Job& job, int fd) : job_(job), fd_(fd) { MakeNonBlocking(fd); }

  int Run(char* const* command) {
    while (true) {
      pollfd leader{fd_, POLLIN, 0};
      poll(&leader, 1, kLookMs);
      if (leader.revents != 0) {
        const bool is_open = ReadSome(fd_, in_);
        if (TakeFrames(command)) return StopCommand();
        if (!is_open || IsTooLong(in_)) {
          Say("the connection to rank 0 was lost");
          return kCannot;
        }
      }
      if (const int code = Reap(); code > 0) return code;
    }
  }

 private:
  void Begin(char* const* command) {
    IgnoreSignals();
    if (command != nullptr && *command != nullptr) Start(command);
  }

  void Start(char* const* command) {
    command_ = fork();
    if (command_ < 0) Fail("no process for the command");
    if (command_ > 0) return;
    RestoreSignals();
    close(fd_);
    execvp(command[0], command);
    Say(std::string(command[0]) + " cannot be executed");
    _exit(127);
  }

  // True: rank 0's command has ended.
  bool TakeFrames(char* const* command) {
    while (const auto frame = TakeFrame(in_)) {
      if (frame->kind == Kind::kBegin) Begin(command);
      if (frame->kind == Kind::kDone) return true;
      if (frame->kind == Kind::kRun) StartSession(frame->bytes);
    }
    return false;
  }

  void StartSession(const std::string& words) {
    const size_t space = words.find(' ');
    if (space == std::string::npos) return;
    const pid_t session = fork();
    if (session != 0) return;
    close(fd_);
    _exit(RunSession(job_, words.substr(0, space), words.substr(space + 1)));
  }

  // The exit code of a command that failed; 0: none has.
  int Reap() {
    int status = 0;
    for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG)) {
      if (pid != command_) continue;
      command_ = -1;
      if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
      if (WEXITSTATUS(status) != 0) return WEXITSTATUS(status);
    }
    return 0;
  }

  int StopCommand() {
    if (command_ <= 0) return 0;
    kill(command_, SIGTERM);
    for (int i = 0; i < kStopMs / kReapMsOfStop; ++i) {
      if (waitpid(command_, nullptr, WNOHANG) == command_) return 0;
      usleep(kReapMsOfStop * 1'000);
    }
    kill(command_, SIGKILL);
    return 0;
  }

  const Job& job_;
  const int fd_;
  std::string in_;
  pid_t command_ = -1;
};

}  // namespace

int Follow(const Job& job, char* const* command) {
  const std::string words = "follow " + std::to_string(job.rank);
  for (int tries = 1;; ++tries) {
    const int fd = ConnectToLeader(job, words);
    if (fd >= 0) return Follower(job, fd).Run(command);
    if (tries == kTriesBeforeWord)
      Say("still waiting for rank 0 on port " + std::to_string(job.port) + " of " + job.leader);
    usleep(kBetweenTriesUs);
  }
}

}  // namespace gp::rsh
