#pragma once

// What certificates of this program call their owners.

#include <openssl/x509.h>

#include <string>
#include <string_view>

namespace gp {

inline constexpr std::string_view kNodeUri = "gpu-platform://node/";

// As 64 hexadecimal digits.
std::string FingerprintOf(const X509& certificate);

}  // namespace gp
