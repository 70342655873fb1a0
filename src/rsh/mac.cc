#include "rsh/mac.h"

// The whole of OpenSSL would be larger than this program.  Its SHA-256 alone is small.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include <sys/random.h>

namespace gp::rsh {
namespace {

constexpr size_t kBlock = 64;

std::string Digest(std::string_view first, std::string_view second) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, first.data(), first.size());
  SHA256_Update(&context, second.data(), second.size());
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256_Final(reinterpret_cast<unsigned char*>(digest.data()), &context);
  return digest;
}

std::string Padded(std::string key, char with) {
  key.resize(kBlock, '\0');
  for (char& c : key) c = static_cast<char>(c ^ with);
  return key;
}

}  // namespace

std::string Mac(std::string_view key, std::string_view bytes) {
  const std::string short_key = key.size() > kBlock ? Digest(key, "") : std::string(key);
  return Digest(Padded(short_key, 0x5c), Digest(Padded(short_key, 0x36), bytes));
}

bool AreEqual(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char different = 0;
  for (size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned char>(a[i] ^ b[i]);
  return different == 0;
}

std::string Nonce() {
  std::string bytes(kMacBytes, '\0');
  const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
  return got == static_cast<ssize_t>(bytes.size()) ? bytes : std::string();
}

}  // namespace gp::rsh
