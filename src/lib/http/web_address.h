#pragma once

// Addresses of servers on the web, as people and Location headers write them.  Pure; any thread.

#include <string>

#include "base/result.h"

namespace gp {

struct WebAddress {
  bool is_encrypted = false;
  std::string host;
  std::string port;    // "443"
  std::string target;  // "/hooks/7?x=1"
};

// "https://host:8443/path". kInvalidArgument: not such a URL, or it contains a user or a password.
Result<WebAddress> ParseWebAddress(const std::string& url);

// The address that the Location header of a response from `base` names; it may be relative and up
// to 8,000 characters long, for signed URLs are.  kInvalidArgument: it is no address of HTTP.
Result<WebAddress> ResolveLocation(const WebAddress& base, const std::string& location);

// The host without the brackets around an IPv6 address.
std::string BareHost(const WebAddress& address);
// Whether a host, without brackets, is this machine by its name or address.
bool IsLoopback(const std::string& host);
// "host", or "host:8443" where the port is not the usual one.
std::string HostAndPort(const WebAddress& address);
// Whether both have the same scheme, host and port.
bool HaveOneOrigin(const WebAddress& a, const WebAddress& b);

}  // namespace gp
