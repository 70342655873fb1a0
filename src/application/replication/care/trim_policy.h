#pragma once

// Which chunks of the shared log may go.  Pure; any thread.

#include <cstddef>
#include <cstdint>
#include <deque>

#include "base/time.h"

namespace gp {

// One chunk of the log; the next one begins where it ends.
struct ChunkPlace {
  uint64_t first = 0;  // the number of its first record
  uint64_t bytes = 0;  // of the store's value
  bool operator==(const ChunkPlace&) const = default;
};

struct TrimLimits {
  // What stays at the end of the log, though every live member has it, for one that comes back.
  uint64_t keep_records = 50'000;
  uint64_t keep_bytes = uint64_t{64} << 20;
  // What is beyond goes, whoever lacks it.
  uint64_t most_bytes = uint64_t{256} << 20;
  // A member whose entry has not changed for this time is not live.
  Duration live_for = Duration::Seconds(60);
};

// How many of the oldest chunks may go.  The newest one, in which the log ends, always stays.
// `last`: the log's last record.  `held`: every live member has the records up to this one.
size_t CountOfSpareChunks(const std::deque<ChunkPlace>& chunks, uint64_t last, uint64_t held,
                          const TrimLimits& limits);

}  // namespace gp
