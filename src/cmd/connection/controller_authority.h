#pragma once

// How a controller on another machine is authenticated: by the certificate of its authority, or by
// that certificate's fingerprint.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lib/tls/fetch_authority.h"

namespace gp {

inline constexpr std::string_view kFingerprintPrefix = "sha256:";

// True for a Unix socket and loopback: the traffic does not leave this machine.
bool StaysHere(const std::string& address);

// The certificate (PEM) of the authority that `given` names for the controller at `address`: a
// file, or "sha256:" and its fingerprint, with which it is fetched there. Empty: `given` is empty,
// and the traffic stays on this machine. kInvalidArgument: it leaves this machine and `given` is
// empty, or `given` is neither. kUnavailable, kPermissionDenied: FetchAuthority.
Result<std::string> AuthorityFor(const std::string& address, const std::string& given,
                                 std::chrono::milliseconds patience = kFetchPatience);
// The same for several addresses of controllers with one authority: the first that answers shows
// it.  One that is silent for three seconds is left for the next.
Result<std::string> AuthorityForAll(const std::vector<std::string>& addresses,
                                    const std::string& given);

}  // namespace gp
