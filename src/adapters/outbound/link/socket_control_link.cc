#include "adapters/outbound/link/socket_control_link.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/ignore_result.h"

namespace gp {

SocketControlLink::SocketControlLink(LinkOptions options)
    : options_(std::move(options)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  epoll_event event{};
  event.events = EPOLLIN;
  IgnoreResult(epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event),
               "without descriptors, no connection is possible either");
}

void SocketControlLink::ClearEvent() {
  uint64_t count = 0;
  IgnoreResult(read(wake_.get(), &count, sizeof count), "only the wake-up matters");
}

std::unique_ptr<ControlConnection> SocketControlLink::Connect(size_t address) {
  const LinkConnection::Events events{epoll_.get(), wake_.get()};
  return std::make_unique<LinkConnection>(options_, options_.addresses[address], events, kept_);
}

}  // namespace gp
