#pragma once

// Secrets that authenticate programs, and the digests that verify them.

#include <string>
#include <string_view>

#include "base/result.h"

struct evp_md_ctx_st;  // OpenSSL's

namespace gp {

// 256 random bits from the kernel, as 64 hexadecimal digits.  kInternal: the kernel gives none.
Result<std::string> NewSecret();

// The digest as 64 hexadecimal digits.
std::string Sha256(std::string_view bytes);

// The same of bytes that come in pieces.
class Sha256Stream {
 public:
  Sha256Stream();
  ~Sha256Stream();
  Sha256Stream(const Sha256Stream&) = delete;
  Sha256Stream& operator=(const Sha256Stream&) = delete;

  void Add(std::string_view bytes);
  std::string End();  // called once, after the last piece

 private:
  evp_md_ctx_st* const context_;
};

// The 32-byte MAC of RFC 2104.  A receiver uses it to verify the sender of `bytes`.
std::string HmacSha256(std::string_view key, std::string_view bytes);

// Decodes base64 with padding (RFC 4648).  kInvalidArgument: malformed; the message does not
// contain the text.
Result<std::string> FromBase64(std::string_view text);

}  // namespace gp
