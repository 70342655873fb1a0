#include "adapters/secrets/secrets.h"

#include <openssl/sha.h>
#include <sys/random.h>

#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kSecretBytes = 32;

}  // namespace

Result<std::string> NewSecret() {
  unsigned char bytes[kSecretBytes];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) return Fail(Internal("the kernel gives no random bits"));
  return ToHex(bytes);
}

std::string Sha256(std::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  return ToHex(digest);
}

}  // namespace gp
