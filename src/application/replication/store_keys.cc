#include "application/replication/store_keys.h"

namespace gp {

// Of fixed width, so that the order of keys is the order of records.
std::string StoreKeys::Chunk(uint64_t first) const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name = prefix_ + "log/";
  for (int shift = 60; shift >= 0; shift -= 4) name += kDigits[(first >> shift) & 0xf];
  return name;
}

}  // namespace gp
