#pragma once

#include <memory>
#include <string>

#include "ports/outbound/host_topology.h"

namespace gp {

// The host topology from a machine file, as HwlocTopology gives it for a real host.
class MachineFileTopology : public HostTopology {
 public:
  // Reads and checks the file once.
  static Result<std::unique_ptr<MachineFileTopology>> Open(const std::string& path);

  Result<HostFacts> Read() override { return facts_; }

 private:
  explicit MachineFileTopology(HostFacts facts) : facts_(std::move(facts)) {}

  HostFacts facts_;
};

}  // namespace gp
