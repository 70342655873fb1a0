#include "domain/cluster/quotas/host_need.h"

#include <algorithm>

#include "base/units.h"
#include "domain/cluster/quotas/grants.h"

namespace gp {

HostNeed NeedOf(const JobSpec& spec, const NodeFacts& facts) {
  HostNeed need{spec.resources.cpus, (spec.resources.memory_bytes + kMiB - 1) / kMiB};
  if (facts.gpus.empty() || spec.resources.gpus.count == 0) return need;
  int64_t node_memory = 0;
  int node_cpus = 0;
  for (const NumaFacts& numa : facts.numa) {
    node_memory += numa.memory_mib;
    node_cpus += numa.cpus.Count();
  }
  const auto gpus = int64_t{facts.CountGpus()};
  // Shared GPUs bring no cores: their jobs share those of the NUMA node.
  if (spec.resources.cpus == 0 && spec.resources.gpus.isolation == Isolation::kExclusive) {
    need.cpus = static_cast<int>(node_cpus * spec.resources.gpus.count / gpus);
  }
  if (spec.resources.memory_bytes == 0) {
    const bool by_mig = spec.resources.gpus.isolation == Isolation::kMig;
    const auto divided =
        std::ranges::find_if(facts.gpus, [](const GpuFacts& gpu) { return !gpu.mig.empty(); });
    const GpuFacts& first = by_mig && divided != facts.gpus.end() ? *divided : facts.gpus.front();
    const GpuGrant grant = GrantOf(spec.resources.gpus, 0, first);
    need.memory_mib =
        node_memory / gpus * spec.resources.gpus.count * grant.memory_mib / first.memory_mib;
  }
  return need;
}

}  // namespace gp
