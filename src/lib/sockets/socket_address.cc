#include "lib/sockets/socket_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/ignore_result.h"

namespace gp {
namespace {

constexpr int kBacklog = 4'096;

Error Failed(const std::string& what) { return Unavailable(what + ": " + std::strerror(errno)); }

void Set(int socket, int level, int option, int value) {
  IgnoreResult(setsockopt(socket, level, option, &value, sizeof value),
               "the connection works without it");
}

// Small messages are sent at once; a peer whose machine has vanished is noticed in a minute.
void Tune(int socket, bool is_local) {
  if (is_local) return;
  Set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  Set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  Set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 20);
  Set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 10);
  Set(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
  Set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 60'000);
}

const sockaddr* Generic(const SocketAddress& address) {
  return reinterpret_cast<const sockaddr*>(&address.bytes);
}

using NameCall = int (*)(int, sockaddr*, socklen_t*);

SocketAddress Ask(NameCall call, int socket) {
  SocketAddress address;
  address.size = sizeof address.bytes;
  if (call(socket, reinterpret_cast<sockaddr*>(&address.bytes), &address.size) != 0)
    return SocketAddress{};
  return address;
}

}  // namespace

int SocketAddress::port() const {
  if (bytes.ss_family == AF_INET)
    return ntohs(reinterpret_cast<const sockaddr_in*>(&bytes)->sin_port);
  if (bytes.ss_family == AF_INET6)
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&bytes)->sin6_port);
  return 0;
}

void SocketAddress::SetPort(int port) {
  const in_port_t wanted = htons(static_cast<uint16_t>(port));
  if (bytes.ss_family == AF_INET) reinterpret_cast<sockaddr_in*>(&bytes)->sin_port = wanted;
  if (bytes.ss_family == AF_INET6) reinterpret_cast<sockaddr_in6*>(&bytes)->sin6_port = wanted;
}

std::string SocketAddress::ToString() const {
  if (is_local()) return "unix";
  char host[NI_MAXHOST] = "";
  char port_text[NI_MAXSERV] = "";
  if (getnameinfo(Generic(*this), size, host, sizeof host, port_text, sizeof port_text,
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "unknown";
  const bool has_colons = bytes.ss_family == AF_INET6;
  return (has_colons ? "[" + std::string(host) + "]" : std::string(host)) + ":" + port_text;
}

Result<SocketAddress> LocalAddress(const std::string& path) {
  SocketAddress address;
  auto* const local = reinterpret_cast<sockaddr_un*>(&address.bytes);
  if (path.size() >= sizeof local->sun_path)
    return Fail(InvalidArgument(path + ": too long for a socket"));
  local->sun_family = AF_UNIX;
  std::ranges::copy(path, local->sun_path);
  address.size = sizeof(sockaddr_un);
  return address;
}

Result<HostPort> SplitAddress(const std::string& address) {
  const size_t colon = address.rfind(':');
  const auto is_bracketed = [](const std::string& host) {
    return host.size() > 2 && host.front() == '[' && host.back() == ']';
  };
  HostPort parts;
  if (colon != std::string::npos) parts = {address.substr(0, colon), address.substr(colon + 1)};
  const bool has_brackets = is_bracketed(parts.host);
  if (has_brackets) parts.host = parts.host.substr(1, parts.host.size() - 2);
  const bool is_number =
      !parts.port.empty() && parts.port.size() <= 5 &&
      std::ranges::all_of(parts.port, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number || (!has_brackets && parts.host.contains(':')))
    return Fail(InvalidArgument(address + ": not an address of the form HOST:PORT"));
  return parts;
}

Result<std::vector<SocketAddress>> LookUp(const HostPort& name, bool is_to_listen) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (is_to_listen ? AI_PASSIVE : 0);
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(name.host.empty() ? nullptr : name.host.c_str(), name.port.c_str(),
                                 &hints, &found);
  if (failed != 0) return Fail(Unavailable(name.host + ": " + gai_strerror(failed)));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, freeaddrinfo);
  std::vector<SocketAddress> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    SocketAddress& address = addresses.emplace_back();
    std::memcpy(&address.bytes, one->ai_addr, one->ai_addrlen);
    address.size = one->ai_addrlen;
  }
  return addresses;
}

Result<Descriptor> ListenAt(const SocketAddress& address) {
  Descriptor listener(
      socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto failed = [](const char* what) {
    const bool is_missing = errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL;
    return Fail(is_missing ? Unsupported(Failed(what).message) : Failed(what));
  };
  if (!listener.valid()) return failed("socket");
  if (!address.is_local()) Set(listener.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (address.bytes.ss_family == AF_INET6) Set(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (bind(listener.get(), Generic(address), address.size) != 0 ||
      listen(listener.get(), kBacklog) != 0)
    return failed("bind");
  return listener;
}

Descriptor AcceptFrom(int listener, int& error) {
  Descriptor accepted(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  const bool is_none =
      !accepted.valid() && (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR);
  error = accepted.valid() || is_none ? 0 : errno;
  if (accepted.valid()) Tune(accepted.get(), BoundAddress(accepted.get()).is_local());
  return accepted;
}

SocketAddress BoundAddress(int socket) { return Ask(getsockname, socket); }
SocketAddress PeerAddress(int socket) { return Ask(getpeername, socket); }

Result<Descriptor> StartConnect(const SocketAddress& address) {
  Descriptor connection(
      socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!connection.valid()) return Fail(Failed("socket"));
  Tune(connection.get(), address.is_local());
  if (connect(connection.get(), Generic(address), address.size) != 0 && errno != EINPROGRESS)
    return Fail(Failed("connect"));
  return connection;
}

bool IsConnectDone(int socket) {
  pollfd ready{socket, POLLOUT, 0};
  return poll(&ready, 1, 0) == 1;
}

Status CheckConnected(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return Fail(Unavailable(std::string("connect: ") + std::strerror(error)));
  return Ok();
}

}  // namespace gp
