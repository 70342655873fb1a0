#pragma once

// Keys and the certificates that name their owners (X.509, as PEM): ECDSA over P-256 with SHA-256.

#include <string>

#include "base/result.h"
#include "base/time.h"

namespace gp {

// Whose word it is.  The certificate may be followed by those that vouch for it.
struct Identity {
  std::string key;
  std::string certificate;
};

struct CertificateFacts {
  std::string node;         // of which node it is; empty: of none
  std::string fingerprint;  // SHA-256 of all of it: 64 hexadecimal digits
  Instant begins_at;
  Instant expires_at;
};

// Of the first one in `pem`.  kInvalidArgument: there is none.
Result<CertificateFacts> ReadCertificate(const std::string& pem);

// A new key, and a request for a certificate of it.  Whose it will be is for the authority to say.
struct CertificateRequest {
  std::string key;
  std::string request;
};
Result<CertificateRequest> NewCertificateRequest();

}  // namespace gp
