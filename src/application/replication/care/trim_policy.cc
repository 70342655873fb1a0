#include "application/replication/care/trim_policy.h"

namespace gp {

// From the newest one back: the older a chunk is, the more follows it, and the lower it ends.
size_t CountOfSpareChunks(const std::deque<ChunkPlace>& chunks, uint64_t last, uint64_t held,
                          const TrimLimits& limits) {
  uint64_t bytes = 0;
  uint64_t ends = last;
  for (size_t left = chunks.size(); left > 0; --left) {
    const ChunkPlace& chunk = chunks[left - 1];
    bytes += chunk.bytes;
    const bool is_spare = last - ends >= limits.keep_records || bytes > limits.keep_bytes;
    const bool may_go = (is_spare && ends <= held) || bytes > limits.most_bytes;
    if (may_go && left < chunks.size()) return left;
    ends = chunk.first - 1;
  }
  return 0;
}

}  // namespace gp
