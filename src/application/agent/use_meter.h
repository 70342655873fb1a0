#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/time.h"
#include "domain/model/nodes/lease.h"
#include "ports/outbound/attempt_runner.h"
#include "ports/outbound/gpu_watch.h"

namespace gp {

// Measures how the leases of this node use their GPUs, cores and memory (docs/use.md).  A reading
// counts for the time since the one before; time without readings is unknown.  One thread (the
// agent's) calls it.
class UseMeter {
 public:
  // Adds the use of a lease whose program runs, until `now_ns` since boot, which is `at` on the
  // wall clock.
  void Look(const Lease& lease, const HostUse& host, const std::vector<GpuReading>& readings,
            int64_t now_ns, Instant at);
  // Drops the use of all other leases.
  void Keep(const std::set<LeaseId>& leases);
  // nullptr: nothing was measured.
  const RankUse* Of(LeaseId lease) const;
  // Time for which no kernel has run on any of the lease's GPUs; time without readings counts as
  // busy.  nullopt: never measured, as for a lease without GPUs or with parts of GPUs.
  std::optional<Duration> IdleFor(LeaseId lease, int64_t now_ns) const;

 private:
  struct Metered {
    RankUse use;
    int64_t began_ns = 0;
    int64_t looked_ns = 0;
    int64_t idle_since_ns = 0;
    int64_t cpu_ms = 0;  // of its cgroup at the first Look
  };
  std::map<LeaseId, Metered> leases_;
};

}  // namespace gp
