#include "supervisor/process/signal_handlers.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "files/descriptor.h"
#include "supervisor/process/host.h"

namespace gp {
namespace {

// Reads the mask of caught signals, in hexadecimal; bit 0 is signal 1.
bool Handles(pid_t process, int signal) {
  const Descriptor file(openat(TheHost().proc.get(), (std::to_string(process) + "/status").c_str(),
                               O_RDONLY | O_CLOEXEC));
  char text[8192];
  const ssize_t count = file.valid() ? read(file.get(), text, sizeof text - 1) : 0;
  if (count <= 0) return false;
  text[count] = '\0';
  const std::string status(text);
  const size_t at = status.find("\nSigCgt:");
  if (at == std::string::npos) return false;
  return ((std::strtoull(status.c_str() + at + 8, nullptr, 16) >> (signal - 1)) & 1) != 0;
}

}  // namespace

int SignalHandlers(const std::vector<pid_t>& processes, int signal) {
  int signalled = 0;
  for (const pid_t process : processes) {
    // Opened before the check, so that the pid cannot be reused by another process.
    const Descriptor held(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
    if (!held.valid() || !Handles(process, signal)) continue;
    signalled += syscall(SYS_pidfd_send_signal, held.get(), signal, nullptr, 0) == 0 ? 1 : 0;
  }
  return signalled;
}

}  // namespace gp
