#include "adapters/inbound/link/newcomer.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "adapters/wire/link_greeting.h"

namespace gp {
namespace {

bool WouldWait(ssize_t result) { return result < 0 && (errno == EAGAIN || errno == EINTR); }

}  // namespace

void Newcomer::OnReady(uint32_t) {
  if (!connection_.valid()) return;
  if (greeting_.empty()) {
    char first = 0;
    const ssize_t peeked = recv(connection_.get(), &first, 1, MSG_PEEK);
    if (WouldWait(peeked)) return;
    if (peeked <= 0) return Leave().Reset();
    if (first != kLinkGreeting.front()) return hosts_.other(Leave());
  }
  char rest[kLinkGreetingBytes];
  const ssize_t got = recv(connection_.get(), rest, kLinkGreetingBytes - greeting_.size(), 0);
  if (WouldWait(got)) return;
  if (got <= 0) return Leave().Reset();
  greeting_.append(rest, static_cast<size_t>(got));
  if (greeting_.size() < kLinkGreetingBytes) return;
  const bool has_tls = greeting_ == LinkGreeting(true);
  if (!has_tls && greeting_ != LinkGreeting(false)) return Leave().Reset();
  hosts_.agent(Leave(), has_tls);
}

void Newcomer::OnSecond() {
  if (std::chrono::steady_clock::now() - came_at_ > hosts_.patience) Leave().Reset();
}

Descriptor Newcomer::Leave() {
  if (connection_.valid()) loop_.Forget(connection_.get());
  return std::move(connection_);
}

}  // namespace gp
