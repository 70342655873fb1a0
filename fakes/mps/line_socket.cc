#include "fakes/mps/line_socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>

namespace gp {
namespace {

constexpr size_t kLineMax = 4'096;

int SocketAt(const std::string& path, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  path.copy(address.sun_path, path.size());
  return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

}  // namespace

int ListenAt(const std::string& path) {
  sockaddr_un address;
  const int fd = SocketAt(path, address);
  if (fd < 0) return -1;
  unlink(path.c_str());
  const bool ok =
      bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 && listen(fd, 64) == 0;
  if (!ok) close(fd);
  return ok ? fd : -1;
}

int ConnectTo(const std::string& path) {
  sockaddr_un address;
  const int fd = SocketAt(path, address);
  if (fd < 0) return -1;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

Peer PeerOf(int fd) {
  ucred who = {};
  socklen_t size = sizeof who;
  getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size);
  return {who.pid, who.uid};
}

void SendLine(int fd, const std::string& line) {
  const std::string whole = line + "\n";
  (void)!send(fd, whole.data(), whole.size(), MSG_NOSIGNAL);
}

bool LineReader::Fill() {
  char buffer[1'024];
  const ssize_t got = read(fd_, buffer, sizeof buffer);
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0 || bytes_.size() > kLineMax) return false;
  bytes_.append(buffer, static_cast<size_t>(got));
  return true;
}

std::optional<std::string> LineReader::Next() {
  const size_t end = bytes_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = bytes_.substr(0, end);
  bytes_.erase(0, end + 1);
  return line;
}

std::optional<std::string> Ask(LineReader& reader, const std::string& line) {
  SendLine(reader.fd(), line);
  while (true) {
    if (auto answer = reader.Next()) return answer;
    if (!reader.Fill()) return std::nullopt;
  }
}

std::vector<std::string> Words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace gp
