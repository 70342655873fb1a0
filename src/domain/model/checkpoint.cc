#include "domain/model/checkpoint.h"

#include <algorithm>
#include <ranges>

#include "base/assert.h"

namespace gp {
namespace {

// The largest integer whose square is not above the value.
int64_t SquareRoot(int64_t value) {
  int64_t root = 0;
  for (int64_t bit = int64_t{1} << 31; bit > 0; bit >>= 1) {
    const int64_t next = root + bit;
    if (next <= value / next) root = next;
  }
  return root;
}

}  // namespace

const Checkpoint* NewestComplete(const std::vector<Checkpoint>& checkpoints) {
  for (const Checkpoint& checkpoint : std::views::reverse(checkpoints)) {
    if (checkpoint.is_complete) return &checkpoint;
  }
  return nullptr;
}

Duration BestInterval(Duration cost, int nodes, Duration node_mtbf) {
  GP_ASSERT(cost.ns > 0 && nodes > 0 && node_mtbf.ns > 0, "an interval follows from what faults and checkpoints cost");
  // In milliseconds: 2 · a day · ten years is far below the limit.
  const int64_t cost_ms = std::clamp<int64_t>(cost.ToMilliseconds(), 1, Duration::Minutes(60 * 24).ToMilliseconds());
  const int64_t mtbf_ms = std::max<int64_t>(node_mtbf.ToMilliseconds() / nodes, 1);
  return Duration::Milliseconds(SquareRoot(2 * cost_ms * mtbf_ms));
}

}  // namespace gp
