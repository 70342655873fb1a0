#pragma once

// Which IP addresses a program may connect to on behalf of somebody who chose the URL.  Pure; any
// thread.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gp {

// Whether an address is none of the public network: of this host (loopback, unspecified),
// link-local, private, shared by a carrier, multicast, reserved, or a metadata service of a cloud;
// and IPv6 addresses that stand for such an IPv4 address (mapped, NAT64, 6to4, Teredo).  What is no
// address counts as one.
bool IsInner(std::string_view ip);

// The rules of a site.  Refused are this host, link-local addresses, where clouds have their
// metadata services, the other such services, multicast and reserved addresses.  Private ones are
// not: stores of sites have them.  What the site lists is allowed in any case.  Immutable.
class AddressRules {
 public:
  // `allowed`: "10.1.0.0/16", "127.0.0.1", "fd00::/8".  kInvalidArgument: one is none of these.
  static Result<AddressRules> Parse(const std::vector<std::string>& allowed);
  AddressRules() = default;

  // `ip`: as FetchOptions::may_connect receives it.  kPermissionDenied: it is refused.
  Status Check(std::string_view ip) const;
  // The same for connections without TLS, which only go to what the site lists.
  Status CheckPlain(std::string_view ip) const;

 private:
  // An IPv4 address is kept as the IPv6 one that maps it.
  struct Network {
    std::array<uint8_t, 16> address;
    int bits;
  };

  bool IsListed(std::string_view ip) const;

  std::vector<Network> allowed_;
};

}  // namespace gp
