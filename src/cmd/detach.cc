#include "cmd/detach.h"

#include <atomic>
#include <csignal>
#include <unistd.h>

namespace gp {
namespace {

constexpr char kBeforeAccepted[] =
    "\n» interrupted before the job was acknowledged; if it was accepted, gpu-platform jobs list shows it\n";

// Written once and never freed: the handler may run at any moment and must not allocate.
std::atomic<const std::string*> farewell = nullptr;

void Detach(int) {
  const std::string* text = farewell.load();
  (void)!(text != nullptr ? write(STDERR_FILENO, text->data(), text->size())
                          : write(STDERR_FILENO, kBeforeAccepted, sizeof kBeforeAccepted - 1));
  _exit(130);
}

}  // namespace

void DetachOnInterrupt() { std::signal(SIGINT, Detach); }

void DetachFrom(const std::string& job) {
  static std::string text;
  text = "\n» detached; " + job + " runs on: gpu-platform jobs logs -f " + job + "\n";
  farewell = &text;
}

}  // namespace gp
