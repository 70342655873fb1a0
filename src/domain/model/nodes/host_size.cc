#include "domain/model/nodes/host_size.h"

#include <algorithm>

namespace gp {

HostSize HostSizeOf(const NodeFacts& facts) {
  HostSize size;
  for (const NumaFacts& numa : facts.numa) {
    size.cpus += numa.cpus.Count();
    size.memory_mib += numa.memory_mib;
  }
  size.gpus = facts.CountGpus();
  size.first = {facts.gpus.front().memory_mib, facts.gpus.front().mig};
  const auto divided =
      std::ranges::find_if(facts.gpus, [](const GpuFacts& gpu) { return !gpu.mig.empty(); });
  if (divided != facts.gpus.end()) size.divided = {divided->memory_mib, divided->mig};
  return size;
}

}  // namespace gp
