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

}  // namespace gp
