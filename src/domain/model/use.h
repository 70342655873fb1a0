#pragma once

// What a rank was seen to do with what it was granted: docs/use.md.  Its node measures, and counts
// what it measured; what was not measured is told apart from what was not used.

#include <cstdint>
#include <vector>

#include "base/time.h"

namespace gp {

struct GpuUse {
  int gpu = 0;  // position in the node
  // Of its time, as much as was measured; 0: whether it was busy is not known
  int64_t seen_ms = 0;
  int64_t busy_ms = 0;            // of that, with any kernel running
  int64_t memory_mib = kNotSeen;  // the most that was in use at any time
  static constexpr int64_t kNotSeen = -1;
  bool operator==(const GpuUse&) const = default;
};

struct RankUse {
  Instant since;             // the node counts from then on; ns == 0: nothing was measured
  std::vector<GpuUse> gpus;  // by GPU, one for each grant
  int64_t cpu_ms = 0;        // time of cores
  int64_t cpu_seen_ms = 0;   // of its time, as much as that covers
  int64_t memory_mib = GpuUse::kNotSeen;  // host memory, the most at any time
  bool operator==(const RankUse&) const = default;
};

// `sum` and what was measured between two tellings of one node; of a counter begun anew all of
// `now`.
RankUse Added(RankUse sum, const RankUse& before, const RankUse& now);

// GPU time that was measured, and of that the part in which a kernel ran.
struct BusyTime {
  int64_t seen_ms = 0;
  int64_t busy_ms = 0;
  bool operator==(const BusyTime&) const = default;
};
BusyTime BusyTimeOf(const RankUse& use);

// Whether `now` can have come after `before`: sums that grow, of GPUs of the list.  Nodes' words
// are not taken as they are.
bool Follows(const RankUse& before, const RankUse& now, const std::vector<int>& gpus);
// Whether so much can have been measured in that time, all told.
bool FitsInto(const RankUse& use, Duration time);
inline constexpr int64_t kUseMsMax = int64_t{1} << 52;
inline constexpr int64_t kUseMemoryMibMax = int64_t{1} << 30;

// Whether so much more was measured that it is worth a record: a tenth more, but no less than ten
// seconds and no more than five minutes.
bool IsWorthNoting(const RankUse& noted, const RankUse& now);

}  // namespace gp
