#include "supervisor/process/signal_handlers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/descriptor.h"

namespace gp {
namespace {

constexpr int kExitOfHandler = 42;

void LeaveByHandler(int) { _exit(kExitOfHandler); }

// A child that waits: with a handler for the signal, or without one (0).  It is ended with this.
class Waiting {
 public:
  explicit Waiting(int handled) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    const Descriptor read_end(ends[0]);
    Descriptor write_end(ends[1]);
    pid_ = fork();
    if (pid_ == 0) {
      if (handled != 0) signal(handled, LeaveByHandler);
      write_end.Reset();
      if (write(ends[1], "x", 1) < 0) {  // closed: what the parent waits for
        while (true) pause();
      }
      _exit(1);
    }
    write_end.Reset();
    char byte;
    EXPECT_EQ(read(read_end.get(), &byte, 1), 0) << "the child is ready";
  }
  ~Waiting() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }
  bool IsAlive() const { return waitpid(pid_, nullptr, WNOHANG) == 0; }
  int AwaitExit() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t pid_ = 0;
};

TEST(SignalHandlers, ReachesThoseWithAHandlerAndKillsNobodyElse) {
  Waiting handles(SIGUSR1);
  const Waiting handles_another(SIGUSR2);
  const Waiting handles_none(0);
  EXPECT_EQ(SignalHandlers({handles.pid(), handles_another.pid(), handles_none.pid()}, SIGUSR1), 1);
  EXPECT_EQ(handles.AwaitExit(), kExitOfHandler);
  EXPECT_TRUE(handles_another.IsAlive());
  EXPECT_TRUE(handles_none.IsAlive());
}

TEST(SignalHandlers, KnowsSignalsAtBothEndsOfTheMask) {
  for (const int number : {SIGHUP, SIGTERM, SIGRTMAX}) {
    Waiting handles(number);
    const Waiting handles_none(0);
    EXPECT_EQ(SignalHandlers({handles_none.pid(), handles.pid()}, number), 1) << number;
    EXPECT_EQ(handles.AwaitExit(), kExitOfHandler) << number;
    EXPECT_TRUE(handles_none.IsAlive()) << number;
  }
}

TEST(SignalHandlers, ProcessesThatAreGoneCountForNothing) {
  pid_t gone = 0;
  {
    const Waiting waiting(SIGUSR1);
    gone = waiting.pid();
  }
  EXPECT_EQ(SignalHandlers({gone}, SIGUSR1), 0);
  EXPECT_EQ(SignalHandlers({}, SIGUSR1), 0);
}

}  // namespace
}  // namespace gp
