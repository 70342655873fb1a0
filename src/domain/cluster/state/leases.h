#pragma once

// The live leases of the cluster.

#include <cstdint>
#include <map>

#include "base/id_map.h"
#include "domain/cluster/state/jobs.h"
#include "domain/model/nodes/lease.h"

namespace gp {

// `last` and `all` are values; `shares_by_class` follows from them.
struct LeaseStore {
  uint64_t last = 0;  // the highest lease id that was given
  IdMap<LeaseId, Lease> all;
  // Thousandths of GPUs held now, by job; none is 0 or empty
  std::map<PoolClass, std::map<JobId, int64_t>> shares_by_class;

  const Lease* Find(LeaseId id) const { return all.Find(id); }
};

}  // namespace gp
