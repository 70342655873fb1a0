#include "lib/tls/fetch_authority.h"

#include <poll.h>

#include <chrono>

#include "lib/tls/names.h"
#include "lib/tls/openssl.h"

namespace gp {
namespace {

using namespace openssl;

constexpr unsigned char kProtocol[] = {2, 'h', '2'};  // gRPC servers expect this protocol in ALPN

// The server is not trusted yet; the handshake only fetches its certificates.
Status ShakeHands(BIO* bio, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (BIO_do_handshake(bio) <= 0) {
    if (!BIO_should_retry(bio)) return Fail(Failed("no TLS"));
    int fd = -1;
    BIO_get_fd(bio, &fd);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0)
      return Fail(Unavailable("no answer in " + std::to_string(patience.count() / 1'000) + " s"));
    pollfd ready{fd, static_cast<short>(BIO_should_read(bio) ? POLLIN : POLLOUT), 0};
    poll(&ready, fd >= 0 ? 1 : 0, static_cast<int>(std::min<int64_t>(left.count(), 100)));
  }
  return Ok();
}

}  // namespace

Result<std::string> FetchAuthority(const std::string& address, const std::string& fingerprint,
                                   std::chrono::milliseconds patience) {
  const Context context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return Fail(Failed("TLS"));
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_alpn_protos(context.get(), kProtocol, sizeof kProtocol);
  const Bio bio(BIO_new_ssl_connect(context.get()));
  if (bio == nullptr) return Fail(Failed("TLS"));
  BIO_set_conn_hostname(bio.get(), address.c_str());
  BIO_set_nbio(bio.get(), 1);
  if (const Status shaken = ShakeHands(bio.get(), patience); !shaken)
    return Fail(Unavailable(address + ": " + shaken.error().message));
  SSL* ssl = nullptr;
  BIO_get_ssl(bio.get(), &ssl);
  const STACK_OF(X509)* chain = SSL_get_peer_cert_chain(ssl);
  for (int i = 0; chain != nullptr && i < sk_X509_num(chain); ++i) {
    X509* certificate = sk_X509_value(chain, i);
    if (FingerprintOf(*certificate) != fingerprint) continue;
    const Bio text = Memory();
    if (PEM_write_bio_X509(text.get(), certificate) != 1) return Fail(Failed("certificate"));
    return Text(text);
  }
  return Fail(PermissionDenied(address +
                               ": another authority vouches for it than sha256:" + fingerprint +
                               ". Is it another controller, or is there a man in the middle?"));
}

}  // namespace gp
