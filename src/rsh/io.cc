#include "rsh/io.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nss.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <cerrno>

#include "rsh/greeting.h"

namespace gp::rsh {
namespace {

constexpr size_t kPiece = 64 << 10;
constexpr int kPiecesDropped = 1'000;

void Set(int fd, int level, int option, int value) {
  setsockopt(fd, level, option, &value, sizeof value);
}

void SetTimeLimit(int fd, int seconds) {
  const timeval limit{seconds, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

int ConnectTo(const addrinfo& address) {
  const int fd = socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  SetTimeLimit(fd, 20);  // also of connect
  if (connect(fd, address.ai_addr, address.ai_addrlen) == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace

void NoticeBrokenNetwork(int fd) {
  Set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  Set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 20);
  Set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
  Set(fd, IPPROTO_TCP, TCP_KEEPCNT, 4);
  Set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 60'000);
  Set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
}

std::optional<std::string> ReadExactly(int fd, size_t bytes) {
  std::string all(bytes, '\0');
  for (size_t got = 0; got < bytes;) {
    const ssize_t n = read(fd, all.data() + got, bytes - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    got += static_cast<size_t>(n);
  }
  return all;
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {  // somebody else shares the descriptor, and made it so
      pollfd writable{fd, POLLOUT, 0};
      poll(&writable, 1, -1);
      continue;
    }
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool ReadSome(int fd, std::string& buffer) {
  const size_t before = buffer.size();
  buffer.resize(before + kPiece);
  const ssize_t n = read(fd, buffer.data() + before, kPiece);
  const int error = errno;
  buffer.resize(before + (n > 0 ? static_cast<size_t>(n) : 0));
  return n > 0 || (n < 0 && (error == EINTR || error == EAGAIN));
}

bool WriteSome(int fd, std::string& buffer) {
  if (buffer.empty()) return true;
  const ssize_t n = write(fd, buffer.data(), buffer.size());
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  buffer.erase(0, static_cast<size_t>(n));
  return true;
}

void MakeNonBlocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }
void MakeBlocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK); }

void CloseAfterLast(int fd, int seconds) {
  MakeBlocking(fd);
  shutdown(fd, SHUT_WR);
  SetTimeLimit(fd, seconds);
  std::string dropped;
  for (int i = 0; i < kPiecesDropped && ReadSome(fd, dropped) && !dropped.empty(); ++i)
    dropped.clear();
  close(fd);
}

int ListenOn(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  Set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      listen(fd, SOMAXCONN) == 0)
    return fd;
  close(fd);
  return -1;
}

int ConnectToLeader(const Job& job, std::string_view words) {
  // A static program may load no other sources of names, such as an image's own.
  __nss_configure_lookup("hosts", "files dns");
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* addresses = nullptr;
  const std::string port = std::to_string(job.port);
  const std::string host = job.rank == 0 ? "127.0.0.1" : job.leader;
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &addresses) != 0) return -1;
  int fd = -1;
  for (const addrinfo* one = addresses; one != nullptr && fd < 0; one = one->ai_next)
    fd = ConnectTo(*one);
  freeaddrinfo(addresses);
  if (fd < 0) return -1;
  NoticeBrokenNetwork(fd);
  if (Greet(fd, job.token, words)) {
    SetTimeLimit(fd, 0);
    return fd;
  }
  close(fd);
  return -1;
}

}  // namespace gp::rsh
