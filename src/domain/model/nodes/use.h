#pragma once

// Measured use of what a rank was granted: docs/use.md. The node counts what it measured; not
// measured and not used are different things.

#include <cstdint>
#include <vector>

#include "base/fields.h"
#include "base/time.h"

namespace gp {

struct GpuUse {
  int gpu = 0;  // position in the node
  // Measured time; 0: unknown whether the GPU was busy
  int64_t seen_ms = 0;
  int64_t busy_ms = 0;            // measured time with any kernel running
  int64_t memory_mib = kNotSeen;  // the most in use at any time
  static constexpr int64_t kNotSeen = -1;
  bool operator==(const GpuUse&) const = default;
};
GP_FIELDS(GpuUse, v.gpu, v.seen_ms, v.busy_ms, v.memory_mib)

struct RankUse {
  Instant since;             // start of counting on the node; ns == 0: nothing was measured
  std::vector<GpuUse> gpus;  // one for each grant, in order of gpu
  int64_t cpu_ms = 0;        // CPU time of all cores
  int64_t cpu_seen_ms = 0;   // measured time for cpu_ms
  int64_t memory_mib = GpuUse::kNotSeen;  // host memory, the most at any time
  bool operator==(const RankUse&) const = default;
};
GP_FIELDS(RankUse, v.since, v.gpus, v.cpu_ms, v.cpu_seen_ms, v.memory_mib)

// `sum` plus what was measured between two reports of one node; all of `now` if its counter was
// restarted.
RankUse Added(RankUse sum, const RankUse& before, const RankUse& now);

// Measured GPU time, and the part of it in which a kernel ran.
struct BusyTime {
  int64_t seen_ms = 0;
  int64_t busy_ms = 0;
  bool operator==(const BusyTime&) const = default;
};
BusyTime BusyTimeOf(const RankUse& use);

// Whether `now` can follow `before`: sums that grow, for GPUs of the list. Reports of nodes are not
// trusted blindly.
bool Follows(const RankUse& before, const RankUse& now, const std::vector<int>& gpus);
// Whether all of this can have been measured within that time.
bool FitsInto(const RankUse& use, Duration time);
inline constexpr int64_t kUseMsMax = int64_t{1} << 52;
inline constexpr int64_t kUseMemoryMibMax = int64_t{1} << 30;

// Whether enough more was measured for a record: a tenth more, but at least ten seconds and at most
// five minutes.
bool IsWorthNoting(const RankUse& noted, const RankUse& now);

}  // namespace gp
