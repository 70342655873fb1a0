#pragma once

// Translates GPU and NUMA numbers between an agent and the ledger. The agent numbers them as its
// machine lists them now; the ledger numbers them as first seen
// (domain/cluster/nodes/node_hardware.h). GPUs are matched by UUID, NUMA nodes by the kernel's
// number.

#include <vector>

#include "domain/cluster/command.h"
#include "domain/node/desired_state.h"

namespace gp {

// Rewrites the messages of one connection in both directions. Immutable.
class GpuPlaces {
 public:
  GpuPlaces() = default;  // both number alike
  GpuPlaces(const NodeFacts& ledger, const NodeFacts& agent);

  // Drops entries of GPUs that the agent did not report when it joined.
  void ToLedger(std::vector<LeaseObservation>& leases) const;
  void ToLedger(std::vector<GpuObservation>& gpus) const;
  void ToLedger(std::vector<FaultSignal>& signals) const;
  void ToLedger(std::vector<GpuTaskResult>& results) const;
  // Drops GPUs that the machine does not have from their leases: such leases are being ended.
  void ToAgent(NodeDesiredState& desired) const;

 private:
  bool are_alike_ = true;
  std::vector<int> gpus_to_ledger_;
  std::vector<int> gpus_to_agent_;  // -1: the machine does not have it
  std::vector<int> numa_to_agent_;
};

}  // namespace gp
