#pragma once

// A server on the loopback interface for tests of clients: it serves one connection after another,
// plain or with TLS, as the test says.

#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "lib/http/web_address.h"
#include "lib/tls/certificate.h"

namespace gp {

struct ServerTls {
  Identity identity;
  std::string client_authority;  // PEM; empty: clients need no certificate
  int version_max = TLS1_3_VERSION;
};

// The server's side of one connection.
class Peer {
 public:
  Peer(int connection, SSL* tls) : connection_(connection), tls_(tls) {}

  // Everything up to and with `end`, or what came before the other side left.
  std::string ReadUntil(const std::string& end) {
    while (!unread_.contains(end) && Receive()) continue;
    return Take(unread_.contains(end) ? unread_.find(end) + end.size() : unread_.size());
  }
  std::string ReadHead() { return ReadUntil("\r\n\r\n"); }
  std::string ReadBytes(size_t count) {
    while (unread_.size() < count && Receive()) continue;
    return Take(std::min(count, unread_.size()));
  }
  // False: the other side has left.
  bool Say(const std::string& text) {
    const auto size = static_cast<int>(text.size());
    if (tls_) return SSL_write(tls_, text.data(), size) == size;
    return send(connection_, text.data(), text.size(), MSG_NOSIGNAL) == size;
  }
  void Respond(const std::string& status, const std::string& headers, const std::string& body) {
    Say("HTTP/1.1 " + status + "\r\n" + headers + "content-length: " + std::to_string(body.size()) +
        "\r\n\r\n" + body);
  }
  // Until the other side leaves.
  void WaitForEnd() {
    while (Receive()) continue;
  }
  // TLS's own end; without it, the connection just breaks.
  void EndTls() { SSL_shutdown(tls_); }
  // The common name of the client's certificate; empty: it has none.
  std::string ClientName() const {
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(SSL_get1_peer_certificate(tls_),
                                                                  X509_free);
    char name[200] = "";
    if (certificate)
      X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name,
                                sizeof name);
    return name;
  }

 private:
  bool Receive() {
    char piece[4'096];
    const ssize_t got =
        tls_ ? SSL_read(tls_, piece, sizeof piece) : read(connection_, piece, sizeof piece);
    if (got > 0) unread_.append(piece, static_cast<size_t>(got));
    return got > 0;
  }
  std::string Take(size_t count) {
    std::string taken = unread_.substr(0, count);
    unread_.erase(0, count);
    return taken;
  }

  const int connection_;
  SSL* const tls_;
  std::string unread_;
};

class LoopbackServer {
 public:
  using Talk = std::function<void(Peer&)>;

  explicit LoopbackServer(Talk talk) : LoopbackServer(nullptr, std::move(talk)) {}
  LoopbackServer(const ServerTls& tls, Talk talk) : LoopbackServer(Context(tls), std::move(talk)) {}
  ~LoopbackServer() {
    End();
    close(listener_);
    SSL_CTX_free(tls_);
  }

  // Serves no further connections; returns when the one in progress has ended.
  void End() {
    shutdown(listener_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
  }

  WebAddress Address(const std::string& target = "/") const {
    return {tls_ != nullptr, "127.0.0.1", port_, target};
  }
  std::string Url(const std::string& target = "/") const {
    return (tls_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + port_ + target;
  }
  int connections() const { return connections_; }  // that were accepted

 private:
  LoopbackServer(SSL_CTX* tls, Talk talk)
      : tls_(tls),
        talk_(std::move(talk)),
        listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to connections that the client has closed
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        listen(listener_, 16) != 0)
      abort();
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { Serve(); });
  }

  static SSL_CTX* Context(const ServerTls& tls) {
    SSL_CTX* context = SSL_CTX_new(TLS_server_method());
    SSL_CTX_set_security_level(context, 0);
    SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context, tls.version_max);
    BIO* key = BIO_new_mem_buf(tls.identity.key.data(), -1);
    EVP_PKEY* private_key = PEM_read_bio_PrivateKey(key, nullptr, nullptr, nullptr);
    X509* certificate = Certificate(tls.identity.certificate);
    if (SSL_CTX_use_certificate(context, certificate) != 1 ||
        SSL_CTX_use_PrivateKey(context, private_key) != 1)
      abort();
    X509_free(certificate);
    EVP_PKEY_free(private_key);
    BIO_free(key);
    if (tls.client_authority.empty()) return context;
    X509* authority = Certificate(tls.client_authority);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority);
    X509_free(authority);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    return context;
  }
  static X509* Certificate(const std::string& pem) {
    BIO* text = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
    X509* certificate = PEM_read_bio_X509(text, nullptr, nullptr, nullptr);
    BIO_free(text);
    return certificate;
  }

  void Serve() {
    while (true) {
      const int connection = accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      ++connections_;
      if (!tls_) {
        Peer peer(connection, nullptr);
        talk_(peer);
      } else {
        SSL* tls = SSL_new(tls_);
        SSL_set_fd(tls, connection);
        Peer peer(connection, tls);
        if (SSL_accept(tls) == 1) talk_(peer);
        SSL_free(tls);
      }
      close(connection);
    }
  }

  SSL_CTX* const tls_;
  const Talk talk_;
  const int listener_;
  std::string port_;
  std::atomic<int> connections_ = 0;
  std::thread thread_;
};

}  // namespace gp
