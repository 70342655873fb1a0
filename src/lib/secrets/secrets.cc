#include "lib/secrets/secrets.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <sys/random.h>

#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kSecretBytes = 32;

}  // namespace

Result<std::string> NewSecret() {
  unsigned char bytes[kSecretBytes];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes))
    return Fail(Internal("the kernel gives no random bits"));
  return ToHex(bytes);
}

std::string Sha256(std::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  return ToHex(digest);
}

Sha256Stream::Sha256Stream() : context_(EVP_MD_CTX_new()) {
  EVP_DigestInit_ex(context_, EVP_sha256(), nullptr);
}

Sha256Stream::~Sha256Stream() { EVP_MD_CTX_free(context_); }

void Sha256Stream::Add(std::string_view bytes) {
  EVP_DigestUpdate(context_, bytes.data(), bytes.size());
}

std::string Sha256Stream::End() {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  EVP_DigestFinal_ex(context_, digest, nullptr);
  return ToHex(digest);
}

std::string HmacSha256(std::string_view key, std::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest, nullptr);
  return {reinterpret_cast<const char*>(digest), sizeof digest};
}

Result<std::string> FromBase64(std::string_view text) {
  const auto fault = [] { return Fail(InvalidArgument("this is no base64 text with padding")); };
  if (text.size() % 4 != 0 ||
      text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") !=
          std::string_view::npos)
    return fault();
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  if (text.substr(0, text.size() - padding).contains('=')) return fault();
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size != static_cast<int>(bytes.size())) return fault();
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace gp
