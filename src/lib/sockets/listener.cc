#include "lib/sockets/listener.h"

#include <sys/epoll.h>

#include <memory>
#include <utility>

#include "lib/sockets/socket_address.h"

namespace gp {

Error CannotListen(const std::string& where, const Error& why) {
  return Unavailable("cannot listen on " + where + ": " + why.message +
                     ": is another controller running there?");
}

Result<std::vector<Descriptor>> ListenOverTcp(const std::string& address) {
  const HostPort name = GP_TRY(SplitAddress(address));
  std::vector<SocketAddress> addresses =
      GP_TRY(LookUp(name.host.empty() ? HostPort{"::", name.port} : name, true));
  if (name.host.empty()) addresses.push_back(GP_TRY(LookUp({"0.0.0.0", name.port}, true)).front());
  std::vector<Descriptor> listeners;
  Error last = Unavailable("no address is known");
  for (SocketAddress& one : addresses) {
    if (name.host.empty() && !listeners.empty()) break;  // that of IPv6 has IPv4 as well
    if (!listeners.empty()) one.SetPort(BoundAddress(listeners.front().get()).port());
    Result<Descriptor> listener = ListenAt(one);
    if (listener) {
      listeners.push_back(*std::move(listener));
      continue;
    }
    last = CannotListen(address, listener.error());
    if (listener.error().code != ErrorCode::kUnsupported) return Fail(last);
  }
  if (listeners.empty()) return Fail(last);
  return listeners;
}

Status Listener::Begin(EventLoop& loop, Descriptor socket, Take take) {
  const int descriptor = socket.get();
  return loop.Watch(descriptor, EPOLLIN,
                    std::make_shared<Listener>(loop, std::move(socket), std::move(take)));
}

void Listener::OnReady(uint32_t) {
  constexpr int kAtOnce = 64;  // the other descriptors come in between
  for (int i = 0; i < kAtOnce; ++i) {
    int error = 0;
    Descriptor accepted = AcceptFrom(socket_.get(), error);
    if (error != 0) return Rest();
    if (!accepted.valid()) return;
    take_(std::move(accepted));
  }
  loop_.StayBehind();  // others may wait
}

void Listener::OnSecond() {
  if (std::exchange(rests_, false)) loop_.Change(socket_.get(), EPOLLIN);
}

void Listener::Rest() {
  rests_ = true;
  loop_.Change(socket_.get(), 0);
}

}  // namespace gp
