#include "rsh/switchboard.h"

#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "rsh/io.h"
#include "rsh/mac.h"

namespace gp::rsh {
namespace {

constexpr size_t kConnectionsMax = 10'000;
constexpr size_t kPassedMax = 256 << 10;  // bytes of a session that its other end has not taken
constexpr size_t kStrangersMax = 256;
constexpr int64_t kGreetingMs = 20'000;
constexpr int64_t kDrainMs = 10'000;
constexpr int64_t kAcceptAgainMs = 100;
constexpr int64_t kSessionMs = 60'000;

int64_t NowMs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000 + now.tv_nsec / 1'000'000;
}

// "run 3 the command" without its first word.
std::string Rest(const std::string& words) { return words.substr(words.find(' ') + 1); }

}  // namespace

void Switchboard::Turn(int milliseconds) {
  std::vector<pollfd> fds{{MayAccept() ? listener_ : -1, POLLIN, 0}};
  for (const Connection& one : connections_) {
    const bool is_full = one.peer != nullptr && one.peer->out.size() >= kPassedMax;
    const bool reads =
        !is_full && (!one.is_closing || one.is_drained) && one.in.size() < kPassedMax * 2;
    fds.push_back(
        {one.fd, static_cast<short>((reads ? POLLIN : 0) | (one.out.empty() ? 0 : POLLOUT)), 0});
  }
  if (poll(fds.data(), fds.size(), milliseconds) < 0) return;
  size_t i = 1;
  for (Connection& one : connections_) Serve(one, fds[i++]);
  if (fds[0].revents != 0) Accept();
  DropOverdue();
  std::erase_if(connections_, [](const Connection& one) { return one.fd < 0; });
}

int Switchboard::MissingRank() const {
  const auto missing = std::ranges::find(has_come_, false);
  return missing == has_come_.end() ? -1 : static_cast<int>(missing - has_come_.begin());
}

// A full board, or one without descriptors, would else find its listener ready all the time.
bool Switchboard::MayAccept() const {
  const auto is_stranger = [](const Connection& one) { return one.reception != nullptr; };
  return connections_.size() < kConnectionsMax && NowMs() >= accept_at_ms_ &&
         static_cast<size_t>(std::ranges::count_if(connections_, is_stranger)) < kStrangersMax;
}

void Switchboard::TellFollowers(Kind kind) {
  for (Connection& one : connections_) {
    if (one.rank >= 0) one.out += Encode(kind);
  }
}

void Switchboard::End(int milliseconds) {
  is_ending_ = true;
  TellFollowers(Kind::kDone);
  const int64_t end = NowMs() + milliseconds;
  const auto is_follower = [](const Connection& one) { return one.rank >= 0; };
  while (NowMs() < end && std::ranges::any_of(connections_, is_follower)) Turn(50);
}

void Switchboard::Accept() {
  while (MayAccept()) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (errno != EAGAIN) accept_at_ms_ = NowMs() + kAcceptAgainMs;
      return;
    }
    NoticeBrokenNetwork(fd);
    std::string nonce = Nonce();
    Connection& one = connections_.emplace_back();
    one.fd = fd;
    one.until_ms = NowMs() + kGreetingMs;
    one.out = nonce;
    one.is_closing = nonce.empty();
    one.reception = std::make_unique<Reception>(std::move(nonce));
  }
}

void Switchboard::Serve(Connection& one, const pollfd& seen) {
  if (one.fd < 0) return;
  const bool has_news = (seen.revents & (POLLIN | POLLHUP | POLLERR)) != 0;
  if (has_news && (!one.is_closing || one.is_drained)) Receive(one);
  if (one.fd >= 0 && !WriteSome(one.fd, one.out)) CloseWithPeer(one);
  if (one.fd < 0 || !one.is_closing || one.is_drained || !one.out.empty()) return;
  // Closing with unread bytes would drop what the other end has not read yet.
  one.is_drained = true;
  one.until_ms = NowMs() + kDrainMs;
  shutdown(one.fd, SHUT_WR);
}

void Switchboard::Receive(Connection& one) {
  const bool is_open = ReadSome(one.fd, one.in);
  if (one.is_drained) one.in.clear();
  if (one.reception != nullptr) Greet(one);
  if (one.asked_rank >= 0) TakeCommand(one);
  if (one.peer != nullptr) PassOn(one);
  if (one.rank >= 0) one.in.clear();  // followers say nothing
  if (is_open) return;
  if (one.rank > 0 && !is_ending_)
    Say("rank " + std::to_string(one.rank) + " (" + job_.nodes[static_cast<size_t>(one.rank)] +
        ") is gone");
  CloseWithPeer(one);
}

void Switchboard::Greet(Connection& one) {
  const Reception::State state = one.reception->Take(one.in, job_.token);
  if (state == Reception::State::kWaits) return;
  if (state == Reception::State::kRefused) return CloseWithPeer(one);
  const auto reception = std::move(one.reception);
  const std::string& words = reception->words();
  one.out += reception->answer();
  if (words.starts_with("follow ")) {
    const int rank = atoi(Rest(words).c_str());
    if (rank < 0 || static_cast<size_t>(rank) >= has_come_.size()) return CloseWithPeer(one);
    one.rank = rank;
    has_come_[static_cast<size_t>(rank)] = true;
  } else if (words.starts_with("run ")) {
    one.asked_rank = std::max(0, atoi(Rest(words).c_str()));
  } else if (words.starts_with("session ")) {
    BeginSession(one, Rest(words));
  } else {
    CloseWithPeer(one);
  }
}

void Switchboard::TakeCommand(Connection& client) {
  const std::optional<Frame> command = TakeFrame(client.in);
  if (!command) {
    if (IsTooLong(client.in)) CloseWithPeer(client);
    return;
  }
  const int rank = std::exchange(client.asked_rank, -1);
  if (command->kind != Kind::kCommand) return CloseWithPeer(client);
  BeginRun(client, rank, command->bytes);
}

void Switchboard::BeginRun(Connection& client, int rank, const std::string& command) {
  Connection* follower = FollowerOf(rank);
  if (follower == nullptr) {
    client.out +=
        Encode(Kind::kErrors, "gpu-platform-rsh: rank " + std::to_string(rank) + " is gone\n");
    client.out += Encode(Kind::kExit, std::string(1, static_cast<char>(kCannot)));
    client.is_closing = true;
    return;
  }
  client.number = std::to_string(++sessions_);
  client.until_ms = NowMs() + kSessionMs;
  follower->out += Encode(Kind::kRun, client.number + " " + command);
}

void Switchboard::BeginSession(Connection& session, const std::string& number) {
  const auto client = std::ranges::find_if(connections_, [&](const Connection& one) {
    return one.fd >= 0 && !one.number.empty() && one.number == number;
  });
  if (client == connections_.end()) return CloseWithPeer(session);
  client->number.clear();
  client->peer = &session;
  session.peer = &*client;
  PassOn(*client);
}

void Switchboard::PassOn(Connection& one) {
  one.peer->out += one.in;
  one.in.clear();
}

// The other end is closed when it has all that was said before.
void Switchboard::CloseWithPeer(Connection& one) {
  if (one.fd < 0) return;
  close(one.fd);
  one.fd = -1;
  if (one.peer == nullptr) return;
  one.peer->is_closing = true;
  one.peer->peer = nullptr;
  one.peer = nullptr;
}

void Switchboard::DropOverdue() {
  const int64_t now = NowMs();
  for (Connection& one : connections_) {
    const bool waits =
        one.reception != nullptr || one.asked_rank >= 0 || !one.number.empty() || one.is_drained;
    if (waits && now > one.until_ms) CloseWithPeer(one);
  }
}

Switchboard::Connection* Switchboard::FollowerOf(int rank) {
  const auto found = std::ranges::find_if(connections_, [&](const Connection& one) {
    return one.fd >= 0 && one.rank == rank && rank >= 0;
  });
  return found == connections_.end() ? nullptr : &*found;
}

}  // namespace gp::rsh
