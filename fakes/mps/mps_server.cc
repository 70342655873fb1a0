#include "fakes/mps/mps_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <vector>

namespace gp {
namespace {

constexpr int kClientsMax = 48;

// The lower of a client's own limit and the server's.
long Less(long a, long b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

}  // namespace

FakeMpsServer::FakeMpsServer(std::string path, FakeLimits limits)
    : path_(std::move(path)), limits_(limits), listener_(ListenAt(path_)) {}

int FakeMpsServer::Run() {
  if (listener_ < 0) return 1;
  while (!quits_) {
    std::vector<pollfd> fds{{listener_, POLLIN, 0}};
    for (const Client& client : clients_) fds.push_back({client.reader.fd(), POLLIN, 0});
    poll(fds.data(), fds.size(), -1);
    size_t at = 1;
    for (auto client = clients_.begin(); client != clients_.end(); ++at) {
      const bool stays = fds[at].revents == 0 || Serve(*client);
      if (!stays) close(client->reader.fd());
      client = stays ? std::next(client) : clients_.erase(client);
    }
    if (is_faulty_ && CountClients() == 0) is_faulty_ = false;
    if (fds[0].revents != 0) Accept();
  }
  return 0;
}

void FakeMpsServer::Accept() {
  const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0) return;
  const bool is_ours = PeerOf(fd).uid == geteuid() || PeerOf(fd).uid == 0;
  if (is_ours) {
    clients_.push_back({LineReader(fd), 0, {}, 0});
  } else {
    SendLine(fd, "refused: the server is another user's");
    close(fd);
  }
}

int FakeMpsServer::CountClients() const {
  return static_cast<int>(
      std::ranges::count_if(clients_, [](const Client& client) { return client.pid != 0; }));
}

bool FakeMpsServer::Serve(Client& client) {
  if (!client.reader.Fill()) return false;
  while (const auto line = client.reader.Next())
    SendLine(client.reader.fd(), Answer(client, *line));
  return true;
}

std::string FakeMpsServer::Answer(Client& client, const std::string& line) {
  const std::vector<std::string> words = Words(line);
  const auto number = [&](size_t at) {
    return at < words.size() ? std::atol(words[at].c_str()) : 0;
  };
  const std::string verb = words.empty() ? "" : words[0];
  if (verb == "client") return Connect(client, {static_cast<int>(number(1)), number(2)});
  if (verb == "allocate") return Allocate(client, number(1));
  if (verb == "status") return is_faulty_ ? "FAULT" : "ACTIVE";
  if (verb == "fault") Fault();
  if (verb == "percent") limits_.percent = static_cast<int>(number(1));
  if (verb == "memory") limits_.memory_mib = number(1);
  if (verb == "quit") quits_ = true;
  if (verb == "clients") {
    std::string pids;
    for (const Client& one : clients_) pids += one.pid == 0 ? "" : std::to_string(one.pid) + " ";
    return pids;
  }
  if (verb == "terminate") {
    for (const Client& one : clients_) {
      if (one.pid == number(1) && one.pid != 0) kill(one.pid, SIGKILL);
    }
  }
  return "ok";
}

std::string FakeMpsServer::Connect(Client& client, const FakeLimits& own) {
  if (is_faulty_) return "refused: the server is not ready";
  if (CountClients() >= kClientsMax) return "refused: too many clients";
  client.pid = PeerOf(client.reader.fd()).pid;
  client.limits = {std::min(own.percent == 0 ? 100 : own.percent, limits_.percent),
                   Less(own.memory_mib, limits_.memory_mib)};
  return "ok percent=" + std::to_string(client.limits.percent) +
         " memory=" + std::to_string(client.limits.memory_mib);
}

std::string FakeMpsServer::Allocate(Client& client, long mib) {
  const long limit = client.limits.memory_mib;
  if (limit != 0 && client.used_mib + mib > limit)
    return "out of memory: " + std::to_string(limit) + " MiB are allowed";
  client.used_mib += mib;
  return "ok";
}

// A fatal error of one client ends all of them; the server accepts new clients after all have left.
void FakeMpsServer::Fault() {
  is_faulty_ = true;
  for (const Client& client : clients_) {
    if (client.pid != 0) SendLine(client.reader.fd(), "fatal");
  }
}

}  // namespace gp
