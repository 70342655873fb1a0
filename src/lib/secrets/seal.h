#pragma once

// Bytes that only holders of a key can read or make (AES-256-GCM).

#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

inline constexpr size_t kSealKeyBytes = 32;

// The bytes, sealed under a key of kSealKeyBytes.  `place`: where they are kept; sealed bytes that
// somebody has put in another place do not open.  kInternal: the kernel gives no random bits.
Result<std::string> Seal(std::string_view key, std::string_view place, std::string_view bytes);

// kInvalidArgument: they were sealed under another key or for another place, or are damaged; the
// message contains none of them.
Result<std::string> Unseal(std::string_view key, std::string_view place, std::string_view sealed);

}  // namespace gp
