#pragma once

#include <map>
#include <optional>

#include "domain/cluster/command.h"
#include "domain/node/desired_state.h"
#include "ports/outbound/port_blocks.h"

namespace gp {

// Leases ports to the attempts whose rank 0 is to run on this node.
class LeasePorts {
 public:
  // `blocks` outlives it.
  explicit LeasePorts(PortBlocks& blocks) : blocks_(blocks) {}

  // Leases ports for what is desired, fills in those of jobs with one rank, and gives back the
  // ports of leases that have ended or are unknown.  `seen`: what the node holds; `begun`: the
  // first ports that its attempts were started with.
  void Update(NodeDesiredState& desired, const std::map<LeaseId, LeaseObservation>& seen,
              const std::map<LeaseId, int>& begun);

  // Of those that the attempt's ranks wait for here; 0: the lease is not of rank 0, its ranks wait
  // for none, or no ports are free.
  int OfferFor(const DesiredLease& desired) const;

 private:
  // `begun_with`: nullopt: it is not started yet.
  void KeepFixed(const DesiredLease& desired, std::optional<int> begun_with);
  void TakeMissing(DesiredLease& desired, bool has_begun);

  PortBlocks& blocks_;
};

}  // namespace gp
