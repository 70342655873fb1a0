#pragma once

#include <string>

#include "base/result.h"

namespace gp {

// Fetches the certificate (PEM) of the authority behind the server at `address` ("10.0.0.1:7070").
// Only the authority with this fingerprint (64 hexadecimal digits) is accepted, which rules out a
// man in the middle.  kUnavailable: no TLS server answers there within 10 s.  kPermissionDenied:
// the server has another authority.
Result<std::string> FetchAuthority(const std::string& address, const std::string& fingerprint);

}  // namespace gp
