#include "application/replication/store_keys.h"

namespace gp {

// Of fixed width, so that the order of keys is the order of records.
std::string StoreKeys::Chunk(uint64_t first) const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name = prefix_ + "log/";
  for (int shift = 60; shift >= 0; shift -= 4) name += kDigits[(first >> shift) & 0xf];
  return name;
}

uint64_t StoreKeys::FirstOf(const std::string& chunk) const {
  uint64_t first = 0;
  for (size_t i = Chunks().first.size(); i < chunk.size(); ++i) {
    const char c = chunk[i];
    first = first << 4 | static_cast<uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return first;
}

}  // namespace gp
