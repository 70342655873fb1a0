#include "lib/tls/tls_session.h"

#include <openssl/err.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
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
  std::string server_name;            // of a client's peer
  std::optional<TlsTickets> tickets;  // of a server
};

struct TlsSession::State {
  struct FreeSession {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  std::shared_ptr<const TlsSide::Shared> side;  // outlives the session
  std::shared_ptr<const TlsResumption> granted;
  std::unique_ptr<SSL, FreeSession> ssl;
  // Of the ticket that the client showed; nullopt: it showed none that is accepted.
  std::optional<CertificateFacts> ticket_holder;
  int tickets_shown = 0;

  bool has_resumed() const { return SSL_session_reused(ssl.get()) == 1; }
  static int UseResumption(SSL* ssl, const EVP_MD* digest, const unsigned char** ticket,
                           size_t* size, SSL_SESSION** session);
  static int FindResumption(SSL* ssl, const unsigned char* ticket, size_t size,
                            SSL_SESSION** session);
};

namespace {

// Of one client.  Ours show one, again if the server wants other parameters.
constexpr int kTicketsMax = 4;
// The suite that both sides prefer, and the only one with this digest.
constexpr unsigned char kAes256GcmSha384[] = {0x13, 0x02};

using PskSession = std::unique_ptr<SSL_SESSION, Free<SSL_SESSION_free>>;

// nullptr: OpenSSL failed.
PskSession SessionOf(SSL* ssl, const std::string& secret) {
  PskSession session(SSL_SESSION_new());
  const SSL_CIPHER* const cipher = SSL_CIPHER_find(ssl, kAes256GcmSha384);
  const auto* key = reinterpret_cast<const unsigned char*>(secret.data());
  const bool is_made = session != nullptr && cipher != nullptr &&
                       SSL_SESSION_set1_master_key(session.get(), key, secret.size()) == 1 &&
                       SSL_SESSION_set_cipher(session.get(), cipher) == 1 &&
                       SSL_SESSION_set_protocol_version(session.get(), TLS1_3_VERSION) == 1;
  return is_made ? std::move(session) : nullptr;
}

Instant RealNow() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return Instant{std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
}

Result<Context> NewContext(const SSL_METHOD* method, const Identity& identity,
                           const std::string& authority) {
  Context context(SSL_CTX_new(method));
  if (context == nullptr) return Fail(Failed("TLS"));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_read_ahead(context.get(), 1);  // one call of the kernel for each record
  // OpenSSL's own tickets would carry the certificate, which costs as much to parse as to verify.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);
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

// The server's callback: a ticket that is not accepted is none.
int TlsSession::State::FindResumption(SSL* ssl, const unsigned char* ticket, size_t size,
                                      SSL_SESSION** session) {
  *session = nullptr;
  auto& state = *static_cast<State*>(SSL_get_app_data(ssl));
  state.ticket_holder.reset();
  if (++state.tickets_shown > kTicketsMax) return 1;
  auto opened = state.side->tickets->Open({reinterpret_cast<const char*>(ticket), size}, RealNow());
  if (!opened) return 1;
  *session = SessionOf(ssl, opened->secret).release();
  if (*session != nullptr) state.ticket_holder = std::move(opened->peer);
  return 1;
}

// The client's callback.  `digest`: of the suite that the server demands; nullptr: any.
int TlsSession::State::UseResumption(SSL* ssl, const EVP_MD* digest, const unsigned char** ticket,
                                     size_t* size, SSL_SESSION** session) {
  *session = nullptr;
  const TlsResumption& granted = *static_cast<const State*>(SSL_get_app_data(ssl))->granted;
  if (digest != nullptr && EVP_MD_is_a(digest, "SHA384") != 1) return 1;
  *session = SessionOf(ssl, granted.secret).release();
  *ticket = reinterpret_cast<const unsigned char*>(granted.ticket.data());
  *size = granted.ticket.size();
  return 1;
}

Result<TlsSide> TlsSide::Server(const Identity& identity, const std::string& authority,
                                const std::string& ticket_key) {
  Context context = GP_TRY(NewContext(TLS_server_method(), identity, authority));
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  Shared shared{.context = std::move(context), .is_server = true};
  if (!ticket_key.empty()) {
    shared.tickets.emplace(ticket_key);
    constexpr unsigned char kName[] = "gp";  // OpenSSL demands one
    SSL_CTX_set_session_id_context(shared.context.get(), kName, sizeof kName);
    SSL_CTX_set_psk_find_session_callback(shared.context.get(), TlsSession::State::FindResumption);
  }
  TlsSide side;
  side.shared_ = std::make_shared<const Shared>(std::move(shared));
  return side;
}

Result<TlsSide> TlsSide::Client(const std::string& authority, const std::string& server_name,
                                const Identity& identity) {
  Context context = GP_TRY(NewContext(TLS_client_method(), identity, authority));
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  TlsSide side;
  side.shared_ = std::make_shared<const Shared>(
      Shared{.context = std::move(context), .server_name = server_name});
  return side;
}

TlsSide TlsSide::Resuming(TlsResumption granted) const {
  TlsSide side = *this;
  side.granted_ = std::make_shared<const TlsResumption>(std::move(granted));
  return side;
}

TlsSession::TlsSession(const TlsSide& side, int socket) : state_(std::make_unique<State>()) {
  state_->side = side.shared_;
  SSL* const ssl = SSL_new(side.shared_->context.get());
  state_->ssl.reset(ssl);
  if (ssl == nullptr) return;  // out of memory: the handshake fails
  SSL_set_fd(ssl, socket);
  SSL_set_app_data(ssl, state_.get());
  if (side.shared_->is_server) {
    SSL_set_accept_state(ssl);
    return;
  }
  if (side.granted_ != nullptr) {
    state_->granted = side.granted_;
    SSL_set_psk_use_session_callback(ssl, State::UseResumption);
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
  if (state_->has_resumed()) return state_->ticket_holder;
  const Certificate certificate(SSL_get1_peer_certificate(state_->ssl.get()));
  if (certificate == nullptr) return std::nullopt;
  auto facts = FactsOf(*certificate);
  return facts ? std::optional(*std::move(facts)) : std::nullopt;
}

std::optional<TlsResumption> TlsSession::GrantResumption() const {
  if (!state_->side->tickets || state_->has_resumed()) return std::nullopt;
  const std::optional<CertificateFacts> peer = PeerCertificate();
  if (!peer) return std::nullopt;
  auto granted = state_->side->tickets->Grant(*peer);
  return granted ? std::optional(*std::move(granted)) : std::nullopt;
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
  return Fail(Unauthenticated(Failed(what).message));
}

}  // namespace gp
