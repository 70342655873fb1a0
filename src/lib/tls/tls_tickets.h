#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lib/tls/certificate.h"

namespace gp {

// What a client needs to connect again without certificates (TLS 1.3 with an external pre-shared
// key).  Who has it connects as the peer that it was granted to.
struct TlsResumption {
  std::string ticket;  // only servers can read it
  std::string secret;  // the pre-shared key
};

// Makes and opens tickets.  A ticket holds what the server has verified of a peer and the secret,
// encrypted (AES-256-GCM): servers keep nothing, and each one with the same key opens it.
// Immutable; any thread.
class TlsTickets {
 public:
  // REQUIRES: a key of kKeyBytes.
  explicit TlsTickets(std::string key);

  static constexpr size_t kKeyBytes = 32;
  // Of SHA-384, which the cipher suites that both sides prefer use.
  static constexpr size_t kSecretBytes = 48;

  // kInternal: OpenSSL failed.
  Result<TlsResumption> Grant(const CertificateFacts& peer) const;

  struct Opened {
    CertificateFacts peer;
    std::string secret;
  };
  // nullopt: it was made with another key, or changed, or the peer's certificate is not valid at
  // `now`.
  std::optional<Opened> Open(std::string_view ticket, Instant now) const;

 private:
  const std::string key_;
};

}  // namespace gp
