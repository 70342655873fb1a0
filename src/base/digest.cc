#include "base/digest.h"

#include <array>

namespace gp {
namespace {

constexpr std::array<uint32_t, 256> MakeCrcTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82f63b78u : crc >> 1;
    table[i] = crc;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kCrcTable = MakeCrcTable();

}  // namespace

uint64_t Digest64(std::string_view bytes, uint64_t seed) {
  // FNV-1a, then the finaliser of SplitMix64, so that similar inputs get very different digests.
  uint64_t hash = 0xcbf29ce484222325ull ^ seed;
  for (const char c : bytes) {
    hash ^= static_cast<uint8_t>(c);
    hash *= 0x100000001b3ull;
  }
  hash ^= hash >> 30;
  hash *= 0xbf58476d1ce4e5b9ull;
  hash ^= hash >> 27;
  hash *= 0x94d049bb133111ebull;
  return hash ^ (hash >> 31);
}

uint32_t Crc32c(std::string_view bytes, uint32_t seed) {
  uint32_t crc = ~seed;
  for (const char c : bytes) crc = (crc >> 8) ^ kCrcTable[(crc ^ static_cast<uint8_t>(c)) & 0xff];
  return ~crc;
}

bool IsSha256Name(std::string_view text) {
  constexpr std::string_view kAlgorithm = "sha256:";
  constexpr size_t kDigits = 64;
  return text.starts_with(kAlgorithm) && text.size() == kAlgorithm.size() + kDigits &&
         text.find_first_not_of("0123456789abcdef", kAlgorithm.size()) == std::string_view::npos;
}

}  // namespace gp
