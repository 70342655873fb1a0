#include "adapters/outbound/sqlite/journal_rows.h"

#include "base/bytes.h"
#include "base/digest.h"

namespace gp {

uint32_t SnapshotCrc(uint64_t sequence, uint64_t chain, std::string_view bytes) {
  ByteWriter place;
  place.U64(sequence);
  place.U64(chain);
  return Crc32c(bytes, Crc32c(place.bytes()));
}

uint32_t BaseCrc(uint64_t sequence) {
  ByteWriter number;
  number.U64(sequence);
  return Crc32c(number.bytes());
}

}  // namespace gp
