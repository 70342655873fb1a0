#include "cmd/demo/demo_signals.h"

#include <csignal>

namespace gp {
namespace {

volatile std::sig_atomic_t is_interrupted = 0;
void Interrupt(int) { is_interrupted = 1; }

}  // namespace

void HearDemoSignals() {
  std::signal(SIGINT, Interrupt);
  std::signal(SIGTERM, Interrupt);
  std::signal(SIGHUP, Interrupt);
  std::signal(SIGPIPE, SIG_IGN);
}

bool IsDemoInterrupted() { return is_interrupted != 0; }

}  // namespace gp
