#pragma once

// Addresses of a host's name.  Only for this folder.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "lib/http/deadline.h"

namespace gp {

struct NetworkAddress {
  std::string ip;  // "10.0.0.1", "::1", "fe80::1%eth0"
  uint16_t port = 0;
};

// Looks up a host (a name, or an IP address without brackets) in a thread that is abandoned at the
// deadline: a name server that does not answer is retried for half a minute.  At least one address.
// kUnavailable: the name has none, or nobody knows; the errors of the deadline.
Result<std::vector<NetworkAddress>> LookUpName(const std::string& host, const std::string& port,
                                               const Deadline& deadline);

}  // namespace gp
