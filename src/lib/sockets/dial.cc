#include "lib/sockets/dial.h"

#include <arpa/inet.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "base/ignore_result.h"

namespace gp {
namespace {

constexpr std::string_view kUnix = "unix:";

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

Dial::Dial(const std::string& address) : begun_(Begin(address)) {}

Status Dial::Begin(const std::string& address) {
  if (address.starts_with(kUnix)) {
    addresses_ = {GP_TRY(LocalAddress(address.substr(kUnix.size())))};
    return TryNext();
  }
  const HostPort name = GP_TRY(SplitAddress(address));
  if (!IsIpAddress(name.host)) {
    lookup_ = std::make_shared<Lookup>();
    std::thread([lookup = lookup_, name] { lookup->Ask(name); }).detach();
    return Ok();
  }
  addresses_ = GP_TRY(LookUp(name, false));
  return TryNext();
}

Status Dial::TryNext() {
  Status last = Fail(Unavailable("no address is known"));
  while (!addresses_.empty()) {
    const SocketAddress address = addresses_.back();
    addresses_.pop_back();
    Result<Descriptor> started = StartConnect(address);
    if (started) {
      connecting_ = *std::move(started);
      return Ok();
    }
    last = Fail(started.error());
  }
  return last;
}

int Dial::descriptor() const {
  return lookup_ != nullptr ? lookup_->done.get() : connecting_.get();
}

uint32_t Dial::events() const { return lookup_ != nullptr ? EPOLLIN : EPOLLOUT; }

Result<std::optional<Descriptor>> Dial::GoOn() {
  GP_CHECK_OK(begun_);
  if (lookup_ != nullptr) {
    const std::lock_guard lock(lookup_->mutex);
    if (!lookup_->found) return std::nullopt;
    addresses_ = GP_TRY(*lookup_->found);
    std::ranges::reverse(addresses_);
  }
  if (lookup_ != nullptr) {
    lookup_.reset();
    GP_CHECK_OK(TryNext());
  }
  if (!IsConnectDone(connecting_.get())) return std::nullopt;
  if (const Status connected = CheckConnected(connecting_.get()); !connected) {
    connecting_.Reset();
    if (addresses_.empty()) return Fail(connected.error());
    GP_CHECK_OK(TryNext());
    return std::nullopt;
  }
  return std::move(connecting_);
}

}  // namespace gp
