#pragma once

// Digests that other systems name content by.  Of these only SHA-256 proves anything against
// forgery; the others find damage.

#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's

namespace gp {

// Digests bytes that come in pieces.  One thread.
class HashStream {
 public:
  enum class Kind { kMd5, kSha1, kSha256 };

  explicit HashStream(Kind kind);
  ~HashStream();
  HashStream(HashStream&& other) noexcept;
  HashStream& operator=(HashStream&&) = delete;

  void Add(std::string_view bytes);
  std::string End();  // the digest's bytes; called once, after the last piece

 private:
  evp_md_ctx_st* context_;
};

// The bytes as lower-case hexadecimal digits.
std::string HexText(std::string_view bytes);

}  // namespace gp
