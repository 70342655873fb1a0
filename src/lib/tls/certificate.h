#pragma once

// Keys and the certificates that name their owners (X.509, as PEM): ECDSA over P-256 with SHA-256.

#include <string>

#include "base/result.h"
#include "base/time.h"

namespace gp {

// A private key and its certificate (PEM), optionally followed by the issuers' certificates.
struct Identity {
  std::string key;
  std::string certificate;
};

struct CertificateFacts {
  std::string node;         // the node that it belongs to; empty: none
  std::string fingerprint;  // SHA-256 of the certificate: 64 hexadecimal digits
  Instant begins_at;
  Instant expires_at;
};

// Reads the first certificate in `pem`.  kInvalidArgument: there is none.
Result<CertificateFacts> ReadCertificate(const std::string& pem);

// A new key and a certificate request for it (PEM).  The authority sets the subject.
struct CertificateRequest {
  std::string key;
  std::string request;
};
Result<CertificateRequest> NewCertificateRequest();

}  // namespace gp
