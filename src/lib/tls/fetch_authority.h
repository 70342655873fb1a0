#pragma once

#include <chrono>
#include <string>

#include "base/result.h"

namespace gp {

inline constexpr std::chrono::milliseconds kFetchPatience{10'000};

// Fetches the certificate (PEM) of the authority behind the server at `address` ("10.0.0.1:7070").
// Only the authority with this fingerprint (64 hexadecimal digits) is accepted, which rules out a
// man in the middle.  kUnavailable: no TLS server answers there in time.  kPermissionDenied: the
// server has another authority.
Result<std::string> FetchAuthority(const std::string& address, const std::string& fingerprint,
                                   std::chrono::milliseconds patience = kFetchPatience);

}  // namespace gp
