#include "lib/tls/tls_tickets.h"

#include <openssl/rand.h>

#include <utility>

#include "base/assert.h"
#include "base/bytes.h"
#include "lib/tls/openssl.h"

namespace gp {
namespace {

using namespace openssl;

constexpr int kNonceBytes = 12;
constexpr int kTagBytes = 16;
constexpr uint64_t kVersion = 1;

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, Free<EVP_CIPHER_CTX_free>>;

unsigned char* Bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// Nonce, ciphertext, tag; empty: OpenSSL failed.
std::string Sealed(const std::string& key, std::string_view plain) {
  const int size = static_cast<int>(plain.size());
  std::string sealed(kNonceBytes + plain.size() + kTagBytes, '\0');
  unsigned char* const out = Bytes(sealed);
  const Cipher cipher(EVP_CIPHER_CTX_new());
  int written = 0;
  const bool is_sealed =
      cipher != nullptr && RAND_bytes(out, kNonceBytes) == 1 &&
      EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, Bytes(std::string_view(key)),
                         out) == 1 &&
      EVP_EncryptUpdate(cipher.get(), out + kNonceBytes, &written, Bytes(plain), size) == 1 &&
      EVP_EncryptFinal_ex(cipher.get(), out + kNonceBytes + written, &written) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes,
                          out + kNonceBytes + size) == 1;
  return is_sealed ? sealed : "";
}

std::optional<std::string> Unsealed(const std::string& key, std::string_view sealed) {
  if (sealed.size() < kNonceBytes + kTagBytes) return std::nullopt;
  const std::string_view text = sealed.substr(kNonceBytes, sealed.size() - kNonceBytes - kTagBytes);
  std::string tag(sealed.substr(sealed.size() - kTagBytes));
  std::string plain(text.size(), '\0');
  const Cipher cipher(EVP_CIPHER_CTX_new());
  int written = 0;
  const bool is_open =
      cipher != nullptr &&
      EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, Bytes(std::string_view(key)),
                         Bytes(sealed)) == 1 &&
      EVP_DecryptUpdate(cipher.get(), Bytes(plain), &written, Bytes(text),
                        static_cast<int>(text.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_SET_TAG, kTagBytes, Bytes(tag)) == 1 &&
      EVP_DecryptFinal_ex(cipher.get(), Bytes(plain) + written, &written) == 1;
  return is_open ? std::optional(std::move(plain)) : std::nullopt;
}

}  // namespace

TlsTickets::TlsTickets(std::string key) : key_(std::move(key)) {
  GP_ASSERT(key_.size() == kKeyBytes, "a key of AES-256");
}

Result<TlsResumption> TlsTickets::Grant(const CertificateFacts& peer) const {
  TlsResumption granted;
  granted.secret.resize(kSecretBytes);
  if (RAND_bytes(Bytes(granted.secret), static_cast<int>(kSecretBytes)) != 1)
    return Fail(Failed("no random number"));
  ByteWriter plain;
  plain.U64(kVersion);
  plain.String(granted.secret);
  plain.String(peer.node);
  plain.String(peer.fingerprint);
  plain.I64(peer.begins_at.ns);
  plain.I64(peer.expires_at.ns);
  granted.ticket = Sealed(key_, plain.bytes());
  if (granted.ticket.empty()) return Fail(Failed("ticket"));
  return granted;
}

std::optional<TlsTickets::Opened> TlsTickets::Open(std::string_view ticket, Instant now) const {
  const std::optional<std::string> plain = Unsealed(key_, ticket);
  if (!plain) {
    ERR_clear_error();
    return std::nullopt;
  }
  ByteReader reader(*plain);
  const bool is_known = reader.U64() == kVersion;
  Opened opened;
  opened.secret = reader.String();
  opened.peer.node = reader.String();
  opened.peer.fingerprint = reader.String();
  opened.peer.begins_at.ns = reader.I64();
  opened.peer.expires_at.ns = reader.I64();
  const bool is_whole = is_known && reader.ok() && reader.AtEnd();
  const bool is_valid = opened.peer.begins_at <= now && now < opened.peer.expires_at;
  return is_whole && is_valid ? std::optional(std::move(opened)) : std::nullopt;
}

}  // namespace gp
