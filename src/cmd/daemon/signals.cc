#include "cmd/daemon/signals.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace gp {

StopSignals::StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int StopSignals::Wait() const {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  int signal = 0;
  sigwait(&set, &signal);
  return signal;
}

bool StopSignals::HaveCome() const {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1;
}

void StopSignals::Raise() const { kill(getpid(), SIGTERM); }

void ExitNow(int code) {
  std::fflush(stdout);
  _exit(code);
}

}  // namespace gp
