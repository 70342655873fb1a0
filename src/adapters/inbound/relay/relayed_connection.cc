#include "adapters/inbound/relay/relayed_connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "adapters/wire/link_greeting.h"

namespace gp {
namespace {

constexpr size_t kAtOnce = 64 << 10;
// Then the other connections have their turn.
constexpr int kPumpsAtOnce = 8;

bool WouldWait(ssize_t result) { return result < 0 && (errno == EAGAIN || errno == EINTR); }

// Sends what is possible now.  False: the connection is broken.
bool SendFrom(std::string& held, int to) {
  const ssize_t sent = send(to, held.data(), held.size(), MSG_NOSIGNAL);
  if (WouldWait(sent)) return true;
  if (sent < 0) return false;
  held.erase(0, static_cast<size_t>(sent));
  return true;
}

}  // namespace

RelayedConnection::RelayedConnection(EventLoop& loop, Descriptor client, Instant give_up,
                                     std::function<void()> gone)
    : loop_(loop), client_(std::move(client)), give_up_(give_up), gone_(std::move(gone)) {}

Status RelayedConnection::Begin() {
  return loop_.Watch(client_.get(), EPOLLIN, shared_from_this());
}

void RelayedConnection::LeaderIs(const std::string& address) {
  if (dial_ || leader_.valid()) return End();
  address_ = address;
  Dials();
}

void RelayedConnection::End() {
  if (!client_.valid()) return;
  if (leader_.valid()) loop_.Forget(leader_.get());
  if (dial_) loop_.Forget(dial_->descriptor());
  loop_.Forget(client_.get());
  leader_.Reset();
  dial_.reset();
  client_.Reset();
  std::exchange(gone_, nullptr)();
}

// An agent's greeting tells it from clients.
bool RelayedConnection::HasSpoken() {
  char first = 0;
  const ssize_t peeked = recv(client_.get(), &first, 1, MSG_PEEK);
  if (WouldWait(peeked)) return false;
  if (peeked > 0 && first != kLinkGreeting.front()) return true;
  End();
  return false;
}

void RelayedConnection::Dials() {
  if (!has_spoken_ || address_.empty()) return;
  dial_.emplace(address_);
  if (!loop_.Watch(dial_->descriptor(), EPOLLIN, shared_from_this())) End();
}

void RelayedConnection::OnReady(uint32_t events) {
  if (!client_.valid()) return;
  // Of a connection that is broken; what it may have left to say is lost with it.
  if ((events & EPOLLERR) != 0) return End();
  if (leader_.valid()) return Flow();
  if (!has_spoken_) {
    has_spoken_ = HasSpoken();
    if (!has_spoken_) return;
    // It is read when there is somebody to give it to.
    loop_.Change(client_.get(), 0);
    return Dials();
  }
  if (!dial_) return;  // nobody leads
  Result<std::optional<Descriptor>> dialled = dial_->GoOn();
  if (!dialled) return End();
  if (!*dialled) return;
  loop_.Forget(dial_->descriptor());
  dial_.reset();
  leader_ = std::move(**dialled);
  if (!loop_.Watch(leader_.get(), EPOLLIN, shared_from_this())) return End();
  Flow();
}

void RelayedConnection::OnSecond() {
  if (client_.valid() && !leader_.valid() && std::chrono::steady_clock::now() > give_up_) End();
}

void RelayedConnection::Flow() {
  if (!Pump(client_.get(), leader_.get(), up_) || !Pump(leader_.get(), client_.get(), down_))
    return End();
  if (up_.is_shut && down_.is_shut) return End();
  WaitForMore();
}

// Reads only when all has been written that was read before: the slower end sets the pace.
bool RelayedConnection::Pump(int from, int to, Direction& direction) {
  std::array<char, kAtOnce> fresh;
  for (int pumps = 0; pumps < kPumpsAtOnce; ++pumps) {
    if (!direction.held.empty() && !SendFrom(direction.held, to)) return false;
    if (!direction.held.empty() || direction.has_ended) break;
    const ssize_t got = recv(from, fresh.data(), fresh.size(), 0);
    if (WouldWait(got)) break;
    if (got < 0) return false;
    direction.has_ended = got == 0;
    direction.held.assign(fresh.data(), static_cast<size_t>(got));
  }
  if (direction.has_ended && direction.held.empty() && !std::exchange(direction.is_shut, true))
    shutdown(to, SHUT_WR);
  return true;
}

void RelayedConnection::WaitForMore() {
  const auto wait = [this](int end, const Direction& from, const Direction& to) {
    // It has nothing more to say, but would report that without a pause.
    if (from.has_ended && to.is_shut) return loop_.Forget(end);
    loop_.Change(end, (from.held.empty() && !from.has_ended ? EPOLLIN : 0U) |
                          (to.held.empty() ? 0U : EPOLLOUT));
  };
  wait(client_.get(), up_, down_);
  wait(leader_.get(), down_, up_);
}

}  // namespace gp
