#include "lib/secrets/hash_stream.h"

#include <openssl/evp.h>

#include <span>
#include <utility>

#include "base/text.h"

namespace gp {
namespace {

const EVP_MD* AlgorithmOf(HashStream::Kind kind) {
  switch (kind) {
    case HashStream::Kind::kMd5: return EVP_md5();
    case HashStream::Kind::kSha1: return EVP_sha1();
    case HashStream::Kind::kSha256: return EVP_sha256();
  }
  return EVP_sha256();
}

}  // namespace

HashStream::HashStream(Kind kind) : context_(EVP_MD_CTX_new()) {
  EVP_DigestInit_ex(context_, AlgorithmOf(kind), nullptr);
}

HashStream::~HashStream() { EVP_MD_CTX_free(context_); }

HashStream::HashStream(HashStream&& other) noexcept
    : context_(std::exchange(other.context_, nullptr)) {}

void HashStream::Add(std::string_view bytes) {
  EVP_DigestUpdate(context_, bytes.data(), bytes.size());
}

std::string HashStream::End() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(context_, digest, &size);
  return {reinterpret_cast<const char*>(digest), size};
}

std::string HexText(std::string_view bytes) {
  return ToHex(std::span(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace gp
