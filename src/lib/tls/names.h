#pragma once

// Names and fingerprints in this program's certificates.

#include <openssl/x509.h>

#include <string>
#include <string_view>

namespace gp {

// A node's certificate has this URI, followed by the node's name.
inline constexpr std::string_view kNodeUri = "gpu-platform://node/";

// SHA-256 of the certificate, as 64 hexadecimal digits.
std::string FingerprintOf(const X509& certificate);

}  // namespace gp
