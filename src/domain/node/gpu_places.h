#pragma once

// An agent numbers its GPUs and NUMA nodes as its machine lists them now; the ledger as it has
// known them ever since (domain/cluster/node_hardware.h).  For one connection this tells the two
// apart by UUID and by the kernel's number, and rewrites what goes up and down.

#include <vector>

#include "domain/cluster/command.h"
#include "domain/node/desired_state.h"

namespace gp {

class GpuPlaces {
 public:
  GpuPlaces() = default;  // they number alike
  GpuPlaces(const NodeFacts& ledger, const NodeFacts& agent);

  // What names a GPU that the agent did not report at its join is dropped.
  void ToLedger(std::vector<LeaseObservation>& leases) const;
  void ToLedger(std::vector<GpuObservation>& gpus) const;
  void ToLedger(std::vector<FaultSignal>& signals) const;
  void ToLedger(std::vector<GpuTaskResult>& results) const;
  // A GPU that the machine does not have is dropped from its lease: such a lease is being ended.
  void ToAgent(NodeDesiredState& desired) const;

 private:
  bool are_alike_ = true;
  std::vector<int> gpus_to_ledger_;
  std::vector<int> gpus_to_agent_;  // -1: the machine does not have it
  std::vector<int> numa_to_agent_;
};

}  // namespace gp
