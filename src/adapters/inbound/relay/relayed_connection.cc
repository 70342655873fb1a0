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

RelayedConnection::RelayedConnection(EventLoop& loop, LeaderNames& names, Descriptor client,
                                     Instant give_up, std::function<void()> gone)
    : loop_(loop),
      names_(names),
      client_{std::move(client), false},
      give_up_(give_up),
      gone_(std::move(gone)) {}

Status RelayedConnection::Begin() {
  return Want(client_, EPOLLIN) ? Ok() : Fail(Unavailable("no memory is left"));
}

bool RelayedConnection::Want(Side& side, uint32_t events) {
  if (events == 0) {
    if (std::exchange(side.is_watched, false)) loop_.Forget(side.socket.get());
    return true;
  }
  if (side.is_watched) {
    loop_.Change(side.socket.get(), events);
    return true;
  }
  side.is_watched = loop_.Watch(side.socket.get(), events, shared_from_this()).has_value();
  return side.is_watched;
}

// An event may be that of an earlier owner of the descriptor's number.
bool RelayedConnection::IsBroken(const Side& side) {
  int error = 0;
  socklen_t size = sizeof error;
  return side.socket.valid() &&
         (getsockopt(side.socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0);
}

void RelayedConnection::LeaderIs(const std::string& address) {
  if (dial_ || leader_.socket.valid()) return End();
  address_ = address;
  Dials();
}

void RelayedConnection::End() {
  if (!client_.socket.valid()) return;
  if (dial_) loop_.Forget(dial_->descriptor());
  for (Side* side : {&leader_, &client_}) {
    Want(*side, 0);
    side->socket.Reset();
  }
  dial_.reset();
  std::exchange(gone_, nullptr)();
}

// An agent's greeting tells it from clients.
bool RelayedConnection::HasSpoken() {
  char first = 0;
  const ssize_t peeked = recv(client_.socket.get(), &first, 1, MSG_PEEK);
  if (WouldWait(peeked)) return false;
  if (peeked > 0 && first != kLinkGreeting.front()) return true;
  End();
  return false;
}

void RelayedConnection::Dials() {
  if (!has_spoken_ || address_.empty()) return;
  names_.Find(address_, [self = shared_from_this(), address = address_](const auto& found) {
    if (self->address_ == address) self->DialsAt(found);
  });
}

// It may have ended meanwhile, or be about to be connected already.
void RelayedConnection::DialsAt(const LeaderNames::Addresses& addresses) {
  if (!client_.socket.valid() || dial_ || leader_.socket.valid()) return;
  if (!addresses) return End();
  dial_.emplace(*addresses);
  if (!loop_.Watch(dial_->descriptor(), EPOLLIN, shared_from_this())) End();
}

void RelayedConnection::OnReady(uint32_t events) {
  if (!client_.socket.valid()) return;
  // What a broken connection may have left to say is lost with it.
  if ((events & EPOLLERR) != 0 && (IsBroken(client_) || IsBroken(leader_))) return End();
  if (leader_.socket.valid()) return Flow();
  if (!has_spoken_) {
    has_spoken_ = HasSpoken();
    if (!has_spoken_) return;
    // It is read when there is somebody to give it to.
    loop_.Change(client_.socket.get(), 0);  // still watched, for its seconds
    return Dials();
  }
  if (!dial_) return;  // nobody leads
  Result<std::optional<Descriptor>> dialled = dial_->GoOn();
  if (!dialled) return End();
  if (!*dialled) return;
  loop_.Forget(dial_->descriptor());
  dial_.reset();
  leader_.socket = std::move(**dialled);
  Flow();
}

void RelayedConnection::OnSecond() {
  if (client_.socket.valid() && !leader_.socket.valid() &&
      std::chrono::steady_clock::now() > give_up_)
    End();
}

void RelayedConnection::Flow() {
  const int client = client_.socket.get();
  const int leader = leader_.socket.get();
  if (!Pump(client, leader, up_) || !Pump(leader, client, down_)) return End();
  if ((up_.is_shut && down_.is_shut) || !WaitForMore()) End();
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

bool RelayedConnection::WaitForMore() {
  const auto wanted = [](const Direction& from, const Direction& to) -> uint32_t {
    return (from.held.empty() && !from.has_ended ? EPOLLIN : 0U) |
           (to.held.empty() ? 0U : EPOLLOUT);
  };
  return Want(client_, wanted(up_, down_)) && Want(leader_, wanted(down_, up_));
}

}  // namespace gp
