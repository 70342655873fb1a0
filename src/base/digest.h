#pragma once

// Digests of bytes.  Digest64 compares states quickly (replay, caches); Crc32c detects damage on
// disk.  Neither protects against forged data.

#include <cstdint>
#include <string_view>

namespace gp {

uint64_t Digest64(std::string_view bytes, uint64_t seed = 0);
uint32_t Crc32c(std::string_view bytes, uint32_t seed = 0);

}  // namespace gp
