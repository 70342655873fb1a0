#include "application/agent/wrapping_runner.h"

#include <sys/epoll.h>
#include <unistd.h>

namespace gp {

WrappingRunner::WrappingRunner(AttemptRunner& runner, std::string awaited)
    : runner_(runner), awaited_(std::move(awaited)), events_fd_(epoll_create1(EPOLL_CLOEXEC)) {
  WakeAlsoBy(runner_.EventDescriptor());
}

WrappingRunner::~WrappingRunner() { close(events_fd_); }

void WrappingRunner::WakeAlsoBy(int descriptor) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  epoll_ctl(events_fd_, EPOLL_CTL_ADD, descriptor, &event);
}

void WrappingRunner::Renew(const std::string& key, int64_t lease_deadline_boot_ns) {
  if (!pending_.Renew(key, lease_deadline_boot_ns)) runner_.Renew(key, lease_deadline_boot_ns);
}

Result<ExecStreams> WrappingRunner::Exec(const std::string& key, const ExecSpec& spec) {
  if (pending_.Waits(key)) return Fail(Conflict("attempt " + key + " waits for " + awaited_));
  return runner_.Exec(key, spec);
}

}  // namespace gp
