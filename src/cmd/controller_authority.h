#pragma once

// By whom a controller elsewhere is known: the certificate of its authority, or that certificate's
// fingerprint.

#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

inline constexpr std::string_view kFingerprintPrefix = "sha256:";

// A Unix socket, or loopback: nobody else sees what goes there.
bool StaysHere(const std::string& address);

// The certificate (PEM) of the authority that `told` names for the controller at `address`:
// "sha256:" and its fingerprint, with which it is asked for there, or a file.  Empty: none was
// told, and the way stays on this machine. kInvalidArgument: it goes elsewhere and none was told,
// or `told` is neither.  kUnavailable, kPermissionDenied: FetchAuthority.
Result<std::string> AuthorityFor(const std::string& address, const std::string& given);

}  // namespace gp
