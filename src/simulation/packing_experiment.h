#pragma once

// The packing experiment of "Beware of Fragmentation" (USENIX ATC 2023): tenants arrive one by one,
// never leave, and are lost where they do not fit.  docs/reference/packing_policies.md tells it.

#include <cstdint>
#include <string>
#include <vector>

#include "domain/packing/packer.h"

namespace gp {

struct PackingWorkload {
  std::vector<Bin> bins;
  std::vector<Shape> shapes;  // in order of their names
};

struct PackingResult {
  double allocated_pct_at_100 = 0;  // mean while the GPUs asked for round to 100 % of those there are
  int64_t arrived = 0;
  int64_t placed = 0;
  double decision_us_p50 = 0;
  double decision_us_p99 = 0;
  double seconds = 0;
};

// The same seed gives the same result on every machine, the times aside.
PackingResult RunPacking(const PackingWorkload& workload, const PackingPolicy& policy, uint64_t seed);

}  // namespace gp
