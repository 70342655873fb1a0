#include "adapters/outbound/hwloc/loaded_topology.h"

#include <cerrno>
#include <cstring>

namespace gp {
namespace {

// All PCI objects are kept, also bridges: they show which devices share a switch.  Caches are not
// needed here and take most of the loading time.
Result<LoadedTopology> NewTopology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return Fail(Internal("hwloc: out of memory"));
  LoadedTopology topology(raw);
  hwloc_topology_set_cache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  return topology;
}

}  // namespace

Result<LoadedTopology> LoadLiveTopology() {
  LoadedTopology topology = GP_TRY(NewTopology());
  if (hwloc_topology_load(topology.get()) != 0) {
    return Fail(Unavailable("hwloc cannot read this machine's topology from /sys: " +
                            std::string(std::strerror(errno))));
  }
  return topology;
}

Result<LoadedTopology> LoadXmlTopology(const std::string& xml, const std::string& name) {
  LoadedTopology topology = GP_TRY(NewTopology());
  // hwloc counts the terminating zero as part of the buffer.
  const int size = static_cast<int>(xml.size()) + 1;
  if (hwloc_topology_set_xmlbuffer(topology.get(), xml.c_str(), size) != 0 ||
      hwloc_topology_load(topology.get()) != 0) {
    return Fail(InvalidArgument(
        name + ": not a topology of hwloc 2; export one with `lstopo --of xml` of that version"));
  }
  return topology;
}

}  // namespace gp
