#pragma once

// Names and fingerprints in this program's certificates.  Only for this folder.

#include <openssl/x509.h>

#include <string>
#include <string_view>

#include "lib/tls/certificate.h"

namespace gp {

// A node's certificate has this URI, followed by the node's name.
inline constexpr std::string_view kNodeUri = "gpu-platform://node/";

// SHA-256 of the certificate, as 64 hexadecimal digits.
std::string FingerprintOf(const X509& certificate);
// kInvalidArgument: its times cannot be read.
Result<CertificateFacts> FactsOf(const X509& certificate);

}  // namespace gp
