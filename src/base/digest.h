#pragma once

// Digests of bytes.  Digest64 compares states quickly (replay, caches); Crc32c detects damage on
// disk.  Neither protects against forged data; SHA-256 (lib/secrets) does.

#include <cstdint>
#include <string_view>

namespace gp {

uint64_t Digest64(std::string_view bytes, uint64_t seed = 0);
uint32_t Crc32c(std::string_view bytes, uint32_t seed = 0);

// Whether this is the name of content by its SHA-256, as images have it: "sha256:" and 64 digits.
bool IsSha256Name(std::string_view text);

}  // namespace gp
