#include "adapters/outbound/hwloc/hwloc_topology.h"

#include <fstream>
#include <iterator>

#include "adapters/outbound/hwloc/loaded_topology.h"
#include "adapters/outbound/hwloc/read_host.h"

namespace gp {

std::unique_ptr<HwlocTopology> HwlocTopology::OpenLive() {
  return std::unique_ptr<HwlocTopology>(new HwlocTopology("", "this machine"));
}

std::unique_ptr<HwlocTopology> HwlocTopology::OpenXml(std::string xml, std::string name) {
  // An empty export is an invalid export, not a request for this machine.
  if (xml.empty()) xml = " ";
  return std::unique_ptr<HwlocTopology>(new HwlocTopology(std::move(xml), std::move(name)));
}

Result<std::unique_ptr<HwlocTopology>> HwlocTopology::OpenXmlFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(NotFound(path + ": cannot open this topology file"));
  return OpenXml(std::string(std::istreambuf_iterator<char>(file), {}), path);
}

Result<HostFacts> HwlocTopology::Read() {
  const LoadedTopology topology =
      xml_.empty() ? GP_TRY(LoadLiveTopology()) : GP_TRY(LoadXmlTopology(xml_, name_));
  return ReadHost(topology.get());
}

}  // namespace gp
