#pragma once

// An hwloc topology in memory: of this machine, or of another one from its XML export.

#include <hwloc.h>

#include <memory>
#include <string>

#include "base/result.h"

namespace gp {

struct TopologyDestroyer {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using LoadedTopology = std::unique_ptr<hwloc_topology, TopologyDestroyer>;

// This machine, as far as this process may use it.  Milliseconds: reads /sys.
Result<LoadedTopology> LoadLiveTopology();
// An XML export of hwloc 2, given as its text.  `name` is what errors call it.
Result<LoadedTopology> LoadXmlTopology(const std::string& xml, const std::string& name);

}  // namespace gp
