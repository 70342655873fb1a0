#pragma once

// Encrypted connections over sockets that do not wait.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lib/tls/certificate.h"
#include "lib/tls/tls_tickets.h"

namespace gp {

// What one side of encrypted connections presents and demands: TLS 1.3.  Immutable; any thread.
class TlsSide {
 public:
  // A server.  Clients may present a certificate of the authority (PEM); with any other one the
  // handshake fails.  `ticket_key`: opens and makes tickets (TlsTickets); empty: there are none.
  // kInternal: key or certificate is damaged.
  static Result<TlsSide> Server(const Identity& identity, const std::string& authority,
                                const std::string& ticket_key);
  // A client of servers that have a certificate of this authority with this name.  An empty
  // identity: it presents no certificate.
  static Result<TlsSide> Client(const std::string& authority, const std::string& server_name,
                                const Identity& identity);
  // The same client with what such a server granted to its certificate.  Where a server does not
  // accept it, certificates are presented after all.
  TlsSide Resuming(TlsResumption granted) const;

 private:
  friend class TlsSession;
  struct Shared;

  std::shared_ptr<const Shared> shared_;
  std::shared_ptr<const TlsResumption> granted_;  // nullptr: nothing
};

// How far a call on a connection got, with TLS or without.
struct IoProgress {
  size_t bytes = 0;
  bool has_ended = false;    // the peer has closed the connection
  bool wants_write = false;  // it goes on when the socket can be written, otherwise when it is read
};

// One connection.  Each call does what is possible at once.  The process ignores SIGPIPE, which a
// peer that has gone would raise.  Not thread-safe.
class TlsSession {
 public:
  // Does not own the socket, which must outlive it and be non-blocking.
  TlsSession(const TlsSide& side, int socket);
  ~TlsSession();
  TlsSession(TlsSession&&) noexcept;

  // To be called until is_open.  Errors of all calls: kUnavailable (the connection broke),
  // kUnauthenticated (what one side shows is not accepted, or is not TLS).
  Result<IoProgress> Handshake();
  bool is_open() const;
  // REQUIRES: is_open.
  Result<IoProgress> Read(char* buffer, size_t size);
  Result<IoProgress> Write(std::string_view bytes);
  // Whether bytes were received that Read has not returned.
  bool HasPending() const;
  // The peer's, which the handshake has verified, or the one that granted the resumption; nullopt:
  // it presented none.
  std::optional<CertificateFacts> PeerCertificate() const;
  // For the client's next connections.  nullopt: this server grants none, the client presented no
  // certificate, or it has resumed and what it has remains valid.  REQUIRES: is_open, of a server.
  std::optional<TlsResumption> GrantResumption() const;

 private:
  friend class TlsSide;
  struct State;
  Result<IoProgress> Outcome(int result, const char* what);

  std::unique_ptr<State> state_;
};

}  // namespace gp
