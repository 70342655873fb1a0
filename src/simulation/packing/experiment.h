#pragma once

// The packing experiment of "Beware of Fragmentation" (USENIX ATC 2023): tenants arrive one by one,
// never leave, and are lost where they do not fit.  docs/reference/packing_policies.md tells it.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/done_watch.h"
#include "domain/packing/packer.h"

namespace gp {

struct PackingWorkload {
  std::vector<Bin> bins;
  std::vector<Shape> shapes;  // in order of their names
};

struct PackingResult {
  // Mean while the GPUs asked for round to 100 % of those there are
  double allocated_pct_at_100 = 0;
  int64_t arrived = 0;
  int64_t placed = 0;
  double decision_us_p50 = 0;
  double decision_us_p99 = 0;
  double seconds = 0;
};

// How the nodes are listed before a policy sees them.
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
std::span<const NamedOrder> NodeDesiredState();

struct PackingRun {
  uint64_t seed = 42;  // of the tenants' order, and of the nodes' where it is random
  NodeOrder order = NodeOrder::kRandom;
  bool learn = false;  // typical shapes from those that have arrived, not from the whole list
};

// The same run gives the same result on every machine, the times aside.
PackingResult RunPacking(const PackingWorkload& workload, const PackingPolicy& policy,
                         const PackingRun& run, const DoneWatch& watch = {});

}  // namespace gp
