#pragma once

#include <string>

#include "base/result.h"

namespace gp {

// The certificate (PEM) of the authority behind the server at `address` ("10.0.0.1:7070"), known by
// its fingerprint (64 hexadecimal digits): no other would do, so that nobody in between can pass
// for it. kUnavailable: nobody answers there within 10 s, or not by TLS.  kPermissionDenied:
// another authority stands behind it.
Result<std::string> FetchAuthority(const std::string& address, const std::string& fingerprint);

}  // namespace gp
