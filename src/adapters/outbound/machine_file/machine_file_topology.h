#pragma once

// The host topology as a machine file tells it: what HwlocTopology is to a real host.

#include <memory>
#include <string>

#include "ports/outbound/host_topology.h"

namespace gp {

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
