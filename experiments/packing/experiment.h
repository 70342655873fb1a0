#pragma once

// The packing experiment of "Beware of Fragmentation" (USENIX ATC 2023): tenants arrive one by one,
// never leave, and are rejected if they do not fit. docs/reference/packing_policies.md describes
// it.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/done_watch.h"
#include "experiments/packing/packer.h"

namespace gp {

struct PackingWorkload {
  std::vector<Bin> bins;
  std::vector<Shape> shapes;  // in order of their names
};

struct PackingResult {
  // Mean over the time in which the requested GPUs round to 100 % of the installed ones.
  double allocated_pct_at_100 = 0;
  int64_t arrived = 0;
  int64_t placed = 0;
  double decision_us_p50 = 0;
  double decision_us_p99 = 0;
  double seconds = 0;
};

// The order in which a policy sees the nodes.
enum class NodeOrder {
  kRandom,
  kFile,
  kGpus,
  kGpusDescending,
  kModel,
  kModelDescending,
  kCpusPerGpu,
  kCpusPerGpuDescending
};
struct NamedOrder {
  std::string_view name;
  NodeOrder order;
};
std::span<const NamedOrder> NodeOrders();

struct PackingRun {
  uint64_t seed = 42;  // of the order of the tenants, and of the nodes if it is random
  NodeOrder order = NodeOrder::kRandom;
  // Learn typical shapes from the tenants that have arrived, not from the whole list.
  bool learn = false;
};

// The same run gives the same result on every machine, except for times.
PackingResult RunPacking(const PackingWorkload& workload, const PackingPolicy& policy,
                         const PackingRun& run, const DoneWatch& watch = {});

}  // namespace gp
