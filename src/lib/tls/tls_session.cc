#include "lib/tls/tls_session.h"

#include <openssl/err.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "lib/tls/names.h"
#include "lib/tls/openssl.h"

namespace gp {

using namespace openssl;

struct TlsSide::Shared {
  Context context;
  bool is_server = false;
  std::string server_name;  // of a client's peer
};

struct TlsSession::State {
  struct FreeSession {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  std::shared_ptr<const TlsSide::Shared> side;  // outlives the session
  std::unique_ptr<SSL, FreeSession> ssl;
};

namespace {

Result<Context> NewContext(const SSL_METHOD* method, const Identity& identity,
                           const std::string& authority) {
  Context context(SSL_CTX_new(method));
  if (context == nullptr) return Fail(Failed("TLS"));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_read_ahead(context.get(), 1);  // one call of the kernel for each record
  // A session that is resumed would skip the check of the certificate.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  const Bio authority_text = Over(authority);
  const Certificate root(PEM_read_bio_X509(authority_text.get(), nullptr, nullptr, nullptr));
  if (root == nullptr ||
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), root.get()) != 1)
    return Fail(Failed("certificate of the authority"));
  if (identity.certificate.empty()) return context;
  const Bio key_text = Over(identity.key);
  const Key key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr));
  const Bio chain_text = Over(identity.certificate);
  const Certificate own(PEM_read_bio_X509(chain_text.get(), nullptr, nullptr, nullptr));
  if (key == nullptr || own == nullptr || SSL_CTX_use_certificate(context.get(), own.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1)
    return Fail(Failed("key and certificate"));
  while (X509* issuer = PEM_read_bio_X509(chain_text.get(), nullptr, nullptr, nullptr)) {
    if (SSL_CTX_add0_chain_cert(context.get(), issuer) == 1) continue;
    X509_free(issuer);
    return Fail(Failed("certificate chain"));
  }
  ERR_clear_error();  // the end of the text
  return context;
}

}  // namespace

Result<TlsSide> TlsSide::Server(const Identity& identity, const std::string& authority) {
  Context context = GP_TRY(NewContext(TLS_server_method(), identity, authority));
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  TlsSide side;
  side.shared_ = std::make_shared<const Shared>(Shared{std::move(context), true, ""});
  return side;
}

Result<TlsSide> TlsSide::Client(const std::string& authority, const std::string& server_name,
                                const Identity& identity) {
  Context context = GP_TRY(NewContext(TLS_client_method(), identity, authority));
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  TlsSide side;
  side.shared_ = std::make_shared<const Shared>(Shared{std::move(context), false, server_name});
  return side;
}

TlsSession::TlsSession(const TlsSide& side, int socket) : state_(std::make_unique<State>()) {
  state_->side = side.shared_;
  SSL* const ssl = SSL_new(side.shared_->context.get());
  state_->ssl.reset(ssl);
  if (ssl == nullptr) return;  // out of memory: the handshake fails
  SSL_set_fd(ssl, socket);
  if (side.shared_->is_server) {
    SSL_set_accept_state(ssl);
    return;
  }
  SSL_set1_host(ssl, side.shared_->server_name.c_str());
  SSL_set_connect_state(ssl);
}

TlsSession::~TlsSession() = default;
TlsSession::TlsSession(TlsSession&&) noexcept = default;

bool TlsSession::is_open() const {
  return state_->ssl != nullptr && SSL_is_init_finished(state_->ssl.get()) == 1;
}

Result<IoProgress> TlsSession::Handshake() {
  if (state_->ssl == nullptr) return Fail(Unavailable("TLS: out of memory"));
  ERR_clear_error();
  return Outcome(SSL_do_handshake(state_->ssl.get()), "TLS handshake");
}

Result<IoProgress> TlsSession::Read(char* buffer, size_t size) {
  ERR_clear_error();
  const int wanted = static_cast<int>(std::min<size_t>(size, INT_MAX));
  return Outcome(SSL_read(state_->ssl.get(), buffer, wanted), "TLS");
}

Result<IoProgress> TlsSession::Write(std::string_view bytes) {
  ERR_clear_error();
  const int size = static_cast<int>(std::min<size_t>(bytes.size(), INT_MAX));
  return Outcome(SSL_write(state_->ssl.get(), bytes.data(), size), "TLS");
}

bool TlsSession::HasPending() const { return SSL_has_pending(state_->ssl.get()) == 1; }

std::optional<CertificateFacts> TlsSession::PeerCertificate() const {
  const Certificate certificate(SSL_get1_peer_certificate(state_->ssl.get()));
  if (certificate == nullptr) return std::nullopt;
  auto facts = FactsOf(*certificate);
  return facts ? std::optional(*std::move(facts)) : std::nullopt;
}

// `result`: of the call just made, of which errno and OpenSSL's errors are left.
Result<IoProgress> TlsSession::Outcome(int result, const char* what) {
  if (result > 0) return IoProgress{static_cast<size_t>(result)};
  const int reason_of_system = errno;
  switch (SSL_get_error(state_->ssl.get(), result)) {
    case SSL_ERROR_WANT_READ: return IoProgress{};
    case SSL_ERROR_WANT_WRITE: return IoProgress{0, false, true};
    case SSL_ERROR_ZERO_RETURN: return IoProgress{0, true, false};
    case SSL_ERROR_SYSCALL:
      if (ERR_peek_error() != 0) break;
      if (result == 0 || reason_of_system == 0) return IoProgress{0, true, false};
      return Fail(Unavailable(std::string(what) + ": " + std::strerror(reason_of_system)));
    default: break;
  }
  // A peer that ends without TLS's own farewell has ended as well.
  if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    ERR_clear_error();
    return IoProgress{0, true, false};
  }
  return Fail(Unavailable(Failed(what).message));
}

}  // namespace gp
