#pragma once

// Addresses of stream sockets: "unix:/run/…/control.sock", "HOST:PORT" and "[IPV6]:PORT".

#include <sys/socket.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

// An address as the kernel takes it.
struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  bool is_local() const { return bytes.ss_family == AF_UNIX; }
  int port() const;  // 0: a local one has none
  void SetPort(int port);
  // "10.0.0.1:7070", "[::1]:7070", "unix".
  std::string ToString() const;
};

// kInvalidArgument: the path is too long for a socket.
Result<SocketAddress> LocalAddress(const std::string& path);
// "HOST:PORT" in its parts; kInvalidArgument: it has another form.
struct HostPort {
  std::string host;  // a name or an IP address, without brackets
  std::string port;
};
Result<HostPort> SplitAddress(const std::string& address);
// All addresses that the name stands for; asks name servers and may take half a minute.  For
// listeners "" stands for all addresses of this machine.  kUnavailable: none is known.
Result<std::vector<SocketAddress>> LookUp(const HostPort& name, bool is_to_listen);

// A socket that listens; it is non-blocking, as those that it accepts are to be.  Where it is bound
// to all addresses of IPv6, also to those of IPv4.  kUnavailable: with the reason; kUnsupported:
// this machine does not have the address.
Result<Descriptor> ListenAt(const SocketAddress& address);
// Accepts one connection: non-blocking, and without delay for small messages.  Invalid: none waits,
// or `error` says why it failed.
Descriptor AcceptFrom(int listener, int& error);
// The address that the socket is bound to.
SocketAddress BoundAddress(int socket);
// The address of the other end.
SocketAddress PeerAddress(int socket);

// Begins to connect a non-blocking socket: it is connected, or has failed, when it can be written.
// kUnavailable: it failed at once.
Result<Descriptor> StartConnect(const SocketAddress& address);
// Whether StartConnect has come to its end; CheckConnected says which one.
bool IsConnectDone(int socket);
// kUnavailable: it failed.
Status CheckConnected(int socket);

}  // namespace gp
