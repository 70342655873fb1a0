#pragma once

#include <memory>
#include <string>

#include "ports/outbound/host_topology.h"

namespace gp {

// The host topology by hwloc: of this machine, or of any machine from its XML export (tests,
// simulation).  On a live machine Read() loads it again each time, because CPUs and memory can be
// hot-plugged.
class HwlocTopology : public HostTopology {
 public:
  static std::unique_ptr<HwlocTopology> OpenLive();
  // Reads the file once; Read() parses it.
  static Result<std::unique_ptr<HwlocTopology>> OpenXmlFile(const std::string& path);
  static std::unique_ptr<HwlocTopology> OpenXml(std::string xml, std::string name);

  Result<HostFacts> Read() override;

 private:
  HwlocTopology(std::string xml, std::string name) : xml_(std::move(xml)), name_(std::move(name)) {}

  std::string xml_;  // empty: this machine
  std::string name_;
};

}  // namespace gp
