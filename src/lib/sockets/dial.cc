#include "lib/sockets/dial.h"

#include <arpa/inet.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/ignore_result.h"

namespace gp {
namespace {

constexpr std::string_view kUnix = "unix:";
// How long an address may be silent before the next one is tried (RFC 8305).
constexpr long kPauseNs = 250'000'000;

bool IsIpAddress(const std::string& host) {
  char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

}  // namespace

// Shared with the thread that asks: the dial may be gone before the name servers have answered.
struct Dial::Lookup {
  const Descriptor done{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::mutex mutex;
  std::optional<Result<std::vector<SocketAddress>>> found;

  void Ask(const HostPort& name) {
    auto answer = LookUp(name, false);
    const std::lock_guard lock(mutex);
    found = std::move(answer);
    const uint64_t one = 1;
    IgnoreResult(write(done.get(), &one, sizeof one),
                 "a descriptor that is full wakes its reader, too");
  }
};

Dial::Dial(const std::string& address)
    : ready_(epoll_create1(EPOLL_CLOEXEC)),
      pause_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      begun_(Begin(address)) {}

Dial::Dial(std::vector<SocketAddress> addresses)
    : ready_(epoll_create1(EPOLL_CLOEXEC)),
      pause_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      begun_(Try(std::move(addresses))) {}

Status Dial::Begin(const std::string& address) {
  if (address.starts_with(kUnix)) return Try({GP_TRY(LocalAddress(address.substr(kUnix.size())))});
  const HostPort name = GP_TRY(SplitAddress(address));
  return IsIpAddress(name.host) ? Try(GP_TRY(LookUp(name, false))) : Ask(name);
}

Status Dial::Try(std::vector<SocketAddress> addresses) {
  if (!ready_.valid() || !pause_.valid())
    return Fail(Unavailable(std::string("epoll: ") + std::strerror(errno)));
  Watch(pause_, EPOLLIN);
  addresses_ = std::move(addresses);
  std::ranges::reverse(addresses_);
  TryNext();
  return Ok();
}

Status Dial::Ask(const HostPort& name) {
  lookup_ = std::make_shared<Lookup>();
  Watch(lookup_->done, EPOLLIN);
  try {
    std::thread([lookup = lookup_, name] { lookup->Ask(name); }).detach();
  } catch (const std::system_error& error) {
    return Fail(Unavailable(name.host + ": cannot be looked up: " + error.what()));
  }
  return Ok();
}

Result<std::optional<Descriptor>> Dial::GoOn() {
  GP_CHECK_OK(begun_);
  if (lookup_ != nullptr && !GP_TRY(TakeAddresses())) return std::nullopt;
  const size_t tried = attempts_.size();
  if (auto connected = TakeConnected()) return connected;
  const bool has_one_failed = attempts_.size() < tried;
  if (has_one_failed || IsPauseOver()) TryNext();
  if (attempts_.empty()) return Fail(last_);
  return std::nullopt;
}

Result<bool> Dial::TakeAddresses() {
  std::vector<SocketAddress> found;
  {
    const std::lock_guard lock(lookup_->mutex);
    if (!lookup_->found) return false;
    found = GP_TRY(*lookup_->found);
  }
  lookup_.reset();
  GP_CHECK_OK(Try(std::move(found)));
  return true;
}

std::optional<Descriptor> Dial::TakeConnected() {
  for (auto attempt = attempts_.begin(); attempt != attempts_.end();) {
    if (!IsConnectDone(attempt->get())) {
      ++attempt;
      continue;
    }
    const Status connected = CheckConnected(attempt->get());
    if (connected) return std::move(*attempt);
    last_ = connected.error();
    attempt = attempts_.erase(attempt);
  }
  return std::nullopt;
}

void Dial::TryNext() {
  while (!addresses_.empty()) {
    const SocketAddress address = addresses_.back();
    addresses_.pop_back();
    Result<Descriptor> started = StartConnect(address);
    if (!started) {
      last_ = started.error();
      continue;
    }
    Watch(*started, EPOLLOUT);
    attempts_.push_back(*std::move(started));
    itimerspec pause{};
    if (!addresses_.empty()) pause.it_value.tv_nsec = kPauseNs;
    IgnoreResult(timerfd_settime(pause_.get(), 0, &pause, nullptr),
                 "without it, the next address is tried when this one fails");
    return;
  }
}

bool Dial::IsPauseOver() const {
  uint64_t count = 0;
  return read(pause_.get(), &count, sizeof count) == sizeof count;
}

void Dial::Watch(const Descriptor& descriptor, uint32_t events) const {
  epoll_event event{};
  event.events = events;
  IgnoreResult(epoll_ctl(ready_.get(), EPOLL_CTL_ADD, descriptor.get(), &event),
               "what is not watched is not reported, and the caller gives up");
}

}  // namespace gp
