#pragma once

// Measures what the leases of this node do with their GPUs, cores and memory: docs/use.md.  A
// reading stands for the time since the one before it; where readings stay away, nothing is known.

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/time.h"
#include "domain/model/lease.h"
#include "ports/outbound/attempt_runner.h"
#include "ports/outbound/gpu_watch.h"

namespace gp {

class UseMeter {
 public:
  // A lease whose program runs; its use until `now`, in time since boot, and by the wall clock
  // `at`.
  void Look(const Lease& lease, const HostUse& host, const std::vector<GpuReading>& readings,
            int64_t now_ns, Instant at);
  // Nothing of others is kept.
  void Keep(const std::set<LeaseId>& leases);
  // nullptr: nothing was measured.
  const RankUse* Of(LeaseId lease) const;
  // So long no kernel has run on any of its GPUs.  What was not measured counts as busy; nullopt:
  // it never was, as for a lease without GPUs or of parts of them.
  std::optional<Duration> IdleFor(LeaseId lease, int64_t now_ns) const;

 private:
  struct Metered {
    RankUse use;
    int64_t began_ns = 0;
    int64_t looked_ns = 0;
    int64_t idle_since_ns = 0;
    int64_t cpu_ms = 0;  // of its cgroup, when it was looked at first
  };
  std::map<LeaseId, Metered> leases_;
};

}  // namespace gp
