#include "lib/sockets/lifeline.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "base/ignore_result.h"
#include "files/descriptor.h"
#include "lib/sockets/socket_address.h"

namespace gp {
namespace {

constexpr int kConnectMs = 2'000;
// A server that stops in order closes its door a little before it is done.
constexpr int kBetweenRefusalsMs = 100;
constexpr int kRefusals = 7;
constexpr int kAgainMs = 1'000;
constexpr std::chrono::milliseconds kShort{100};
constexpr int kAfterShortMs = 200;

enum class Try { kConnected, kRefused, kFailed };

int ErrorOf(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

}  // namespace

class Lifeline::Watcher {
 public:
  explicit Watcher(std::function<void(uint64_t)> ended)
      : ended_(std::move(ended)), changed_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  void Hold(uint64_t server, const std::string& address) {
    const std::lock_guard lock(mutex_);
    if (target_.server == server && target_.address == address) return;
    target_ = {server, address};
    Wake();
  }
  // Waits for a call that is under way.
  void Stop() {
    const std::lock_guard calling(calling_);
    const std::lock_guard lock(mutex_);
    stops_ = true;
    Wake();
  }
  void Run();

 private:
  struct Target {
    uint64_t server = 0;
    std::string address;
    bool operator==(const Target&) const = default;
  };

  // REQUIRES: the mutex is held, so that no news is lost between the target and its event.
  void Wake() { IgnoreResult(eventfd_write(changed_.get(), 1), "the counter cannot be full"); }
  // Until the server has ended, or the target changes.
  void Watch(const Target& target);
  void Ended(const Target& target);
  Try Connect(const std::string& address, Descriptor& connected) const;
  // Waits until the descriptor has the event, the target changes, or the time is over; -1: no end.
  void Rest(int milliseconds, int descriptor = -1, short event = 0) const;
  bool IsCurrent(const Target& target) {
    const std::lock_guard lock(mutex_);
    return !stops_ && target_ == target;
  }

  const std::function<void(uint64_t)> ended_;
  const Descriptor changed_;  // an eventfd
  std::mutex calling_;        // held during a call of ended_; taken before the other one
  std::mutex mutex_;
  Target target_;
  bool stops_ = false;
};

void Lifeline::Watcher::Run() {
  for (;;) {
    Target target;
    {
      const std::lock_guard lock(mutex_);
      eventfd_t news = 0;
      IgnoreResult(eventfd_read(changed_.get(), &news), "without news there is nothing to forget");
      if (stops_) return;
      target = target_;
    }
    if (!target.address.empty()) Watch(target);
    if (IsCurrent(target)) Rest(-1);
  }
}

void Lifeline::Watcher::Rest(int milliseconds, int descriptor, short event) const {
  pollfd ready[] = {{changed_.get(), POLLIN, 0}, {descriptor, event, 0}};
  IgnoreResult(poll(ready, 2, milliseconds), "who rests looks at everything again");
}

void Lifeline::Watcher::Watch(const Target& target) {
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
      if (std::chrono::steady_clock::now() - since < kShort) Rest(kAfterShortMs);
    } else if (tried == Try::kRefused && was_there) {
      if (++refusals == kRefusals) return Ended(target);
      Rest(kBetweenRefusalsMs);
    } else {
      Rest(kAgainMs);
    }
  }
}

void Lifeline::Watcher::Ended(const Target& target) {
  const std::lock_guard calling(calling_);
  if (IsCurrent(target)) ended_(target.server);
}

Try Lifeline::Watcher::Connect(const std::string& address, Descriptor& connected) const {
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

Lifeline::Lifeline(std::function<void(uint64_t)> ended)
    : watcher_(std::make_shared<Watcher>(std::move(ended))) {
  std::thread([watcher = watcher_] { watcher->Run(); }).detach();
}

Lifeline::~Lifeline() { watcher_->Stop(); }

void Lifeline::Hold(uint64_t server, const std::string& address) {
  watcher_->Hold(server, address);
}

}  // namespace gp
