#include "fakes/mps/mps_control.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <vector>

namespace gp {
namespace {

constexpr int kLookMs = 50;  // interval of the check for a server that died

// "2000M", "2G"
long MibOf(const std::string& text) {
  const long number = std::atol(text.c_str());
  return text.ends_with("G") ? number * 1'024 : number;
}

}  // namespace

bool FakeMpsControl::Listen() {
  listener_ = ListenAt(directory_ + "/control");
  return listener_ >= 0;
}

int FakeMpsControl::Run() {
  while (!quits_) {
    std::vector<pollfd> fds{{listener_, POLLIN, 0}};
    for (const LineReader& peer : peers_) fds.push_back({peer.fd(), POLLIN, 0});
    poll(fds.data(), fds.size(), kLookMs);
    Reap();
    size_t at = 1;
    for (auto peer = peers_.begin(); peer != peers_.end(); ++at) {
      const bool stays = fds[at].revents == 0 || Serve(*peer);
      if (!stays) close(peer->fd());
      peer = stays ? std::next(peer) : peers_.erase(peer);
    }
    if (fds[0].revents == 0) continue;
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) peers_.emplace_back(fd);
  }
  if (server_ != 0) waitpid(server_, nullptr, 0);
  unlink((directory_ + "/control").c_str());
  return 0;
}

void FakeMpsControl::Reap() {
  if (server_ != 0 && waitpid(server_, nullptr, WNOHANG) == server_) server_ = 0;
}

bool FakeMpsControl::Serve(LineReader& peer) {
  if (!peer.Fill()) return false;
  while (const auto line = peer.Next()) SendLine(peer.fd(), Answer(*line, PeerOf(peer.fd()).uid));
  return true;
}

// One user at a time: the server of the next user starts after this one has ended.
std::string FakeMpsControl::StartServer(uid_t uid) {
  if (server_ != 0 && server_uid_ != uid) return "refused: the server is another user's";
  if (server_ != 0) return std::to_string(server_);
  int ready[2];
  if (pipe(ready) != 0) return "refused: no pipe";
  server_ = fork();
  if (server_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "mps-server");
    close(listener_);
    for (const LineReader& peer : peers_) close(peer.fd());
    if (geteuid() == 0 && setuid(uid) != 0) _exit(1);
    FakeMpsServer server(ServerPath(), defaults_);
    (void)!write(ready[1], "x", 1);
    _exit(server.Run());
  }
  char byte = 0;
  (void)!read(ready[0], &byte, 1);  // the server listens now
  close(ready[0]);
  close(ready[1]);
  server_uid_ = uid;
  return std::to_string(server_);
}

// The server's answer; empty: there is no server.
std::string FakeMpsControl::TellServer(const std::string& line) {
  const int fd = server_ == 0 ? -1 : ConnectTo(ServerPath());
  if (fd < 0) return "";
  LineReader reader(fd);
  const auto answer = Ask(reader, line);
  close(fd);
  return answer.value_or("");
}

// "-": nothing to print.  Unknown commands get a text as answer, like from the real program.
std::string FakeMpsControl::Answer(const std::string& line, uid_t uid) {
  const std::vector<std::string> words = Words(line);
  const auto word = [&](size_t at) { return at < words.size() ? words[at] : std::string(); };
  const bool names_server = server_ != 0 && word(1) == std::to_string(server_);
  const std::string verb = word(0);
  if (verb == "connect") return StartServer(uid);
  if (verb == "start_server") {
    StartServer(static_cast<uid_t>(std::atol(word(2).c_str())));
    return "-";
  }
  if (verb == "get_server_list") return server_ == 0 ? "-" : std::to_string(server_);
  if (verb == "get_server_status") return names_server ? TellServer("status") : "no such server";
  if (verb == "get_client_list") return names_server ? TellServer("clients") : "no such server";
  if (verb == "get_default_active_thread_percentage")
    return std::to_string(defaults_.percent) + ".0";
  if (verb == "get_default_device_pinned_mem_limit")
    return std::to_string(defaults_.memory_mib) + "M";
  if (verb == "set_default_active_thread_percentage") {
    defaults_.percent = std::atoi(word(1).c_str());
    return word(1) + ".0";
  }
  if (verb == "set_default_device_pinned_mem_limit") {
    defaults_.memory_mib = MibOf(word(2));
    return "-";
  }
  if (verb == "set_active_thread_percentage")
    return names_server ? TellServer("percent " + word(2)) : "no such server";
  if (verb == "set_device_pinned_mem_limit")
    return names_server ? TellServer("memory " + std::to_string(MibOf(word(3)))) : "no such server";
  if (verb == "terminate_client")
    return names_server ? TellServer("terminate " + word(2)) : "no such server";
  if (verb == "quit") {
    TellServer("quit");
    quits_ = true;
    return "-";
  }
  return "unknown command: " + verb;
}

}  // namespace gp
