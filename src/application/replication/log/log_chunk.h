#pragma once

// The value of one key of the shared log: some consecutive records, as the journal has them.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gp {

struct LogChunk {
  uint64_t term = 0;   // of the leader that wrote it
  uint64_t first = 0;  // the number of its first record
  // Of the journals that have these records (ports/outbound/journal.h).
  uint64_t chain_before = 0;
  uint64_t chain_after = 0;
  // Of the leader's state before the first record (domain/cluster/codec/codec.h); 0: not told.
  uint64_t state_before = 0;
  std::vector<std::string> records;  // at least one

  uint64_t last() const { return first + records.size() - 1; }
  bool operator==(const LogChunk&) const = default;
};

// The chain after these records.
uint64_t ChainAfter(uint64_t chain, std::span<const std::string> records);

std::string EncodeChunk(const LogChunk& chunk);
// Errors: kInternal (damaged: a checksum or the chain does not match, or it is of a later format).
Result<LogChunk> DecodeChunk(std::string_view bytes);

// Most bytes of the records in a chunk: the store refuses requests of more than a megabyte and a
// half.  A batch that fits is written as a whole or not at all.
inline constexpr size_t kChunkBytes = size_t{1'000} * 1024;
// Cuts records into runs for one chunk each.  A record that is larger has a chunk of its own.
std::vector<std::span<const std::string>> CutIntoChunks(std::span<const std::string> records);

}  // namespace gp
