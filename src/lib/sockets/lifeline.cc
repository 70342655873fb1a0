#include "lib/sockets/lifeline.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "base/ignore_result.h"
#include "lib/sockets/socket_address.h"

namespace gp {
namespace {

constexpr int kConnectMs = 2'000;
// A server that stops in order closes its door a moment before it is done.
constexpr int kBetweenRefusalsMs = 100;
constexpr int kRefusals = 3;
constexpr int kAgainMs = 1'000;
constexpr std::chrono::seconds kShort{1};

int ErrorOf(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

}  // namespace

Lifeline::Lifeline(std::function<void(uint64_t)> ended)
    : ended_(std::move(ended)), changed_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  thread_ = std::thread([this] { Run(); });
}

Lifeline::~Lifeline() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  IgnoreResult(eventfd_write(changed_.get(), 1), "the counter cannot be full");
  thread_.join();
}

void Lifeline::Hold(uint64_t server, const std::string& address) {
  {
    const std::lock_guard lock(mutex_);
    if (target_.server == server) return;
    target_ = {server, address};
  }
  IgnoreResult(eventfd_write(changed_.get(), 1), "the counter cannot be full");
}

void Lifeline::Run() {
  for (;;) {
    eventfd_t news = 0;
    IgnoreResult(eventfd_read(changed_.get(), &news), "without news there is nothing to forget");
    Target target;
    {
      const std::lock_guard lock(mutex_);
      if (stops_) return;
      target = target_;
    }
    if (!target.address.empty()) Watch(target);
    if (IsCurrent(target)) Rest(-1);
  }
}

void Lifeline::Rest(int milliseconds, int descriptor, short event) const {
  pollfd ready[] = {{changed_.get(), POLLIN, 0}, {descriptor, event, 0}};
  IgnoreResult(poll(ready, 2, milliseconds), "who rests looks at everything again");
}

bool Lifeline::IsCurrent(const Target& target) {
  const std::lock_guard lock(mutex_);
  return !stops_ && target_.server == target.server;
}

void Lifeline::Watch(const Target& target) {
  bool was_there = false;
  for (int refusals = 0; IsCurrent(target);) {
    Descriptor connection;
    const Try tried = Connect(target.address, connection);
    if (tried == Try::kConnected) {
      was_there = true;
      refusals = 0;
      const auto since = std::chrono::steady_clock::now();
      Rest(-1, connection.get(), POLLIN);
      // One that closes each connection at once is not asked without a pause.
      if (std::chrono::steady_clock::now() - since < kShort) Rest(kAgainMs);
    } else if (tried == Try::kRefused && was_there) {
      if (++refusals == kRefusals) return ended_(target.server);
      Rest(kBetweenRefusalsMs);
    } else {
      Rest(kAgainMs);
    }
  }
}

Lifeline::Try Lifeline::Connect(const std::string& address, Descriptor& connected) const {
  const Result<HostPort> name = SplitAddress(address);
  if (!name) return Try::kFailed;
  const auto addresses = LookUp(*name, false);
  if (!addresses) return Try::kFailed;
  bool is_refused = false;
  for (const SocketAddress& one : *addresses) {
    Result<Descriptor> begun = StartConnect(one);
    if (!begun) continue;
    Rest(kConnectMs, begun->get(), POLLOUT);
    if (!IsConnectDone(begun->get())) continue;
    const int error = ErrorOf(begun->get());
    if (error == 0) {
      connected = *std::move(begun);
      return Try::kConnected;
    }
    is_refused = is_refused || error == ECONNREFUSED;
  }
  return is_refused ? Try::kRefused : Try::kFailed;
}

}  // namespace gp
