#pragma once

// Secrets by which programs call, and the digests by which they are known again.

#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

// 256 random bits of the kernel's, as 64 hexadecimal digits.  kInternal: it has none to give.
Result<std::string> NewSecret();

// As 64 hexadecimal digits.
std::string Sha256(std::string_view bytes);

// The 32 bytes of RFC 2104, by which a receiver knows who sent `bytes`.
std::string HmacSha256(std::string_view key, std::string_view bytes);

// The bytes that an RFC 4648 text with padding stands for.  kInvalidArgument: it is none.  The text
// is in no message.
Result<std::string> FromBase64(std::string_view text);

}  // namespace gp
