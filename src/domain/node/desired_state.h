#pragma once

// What a node is to hold, complete each time: an agent that missed a message, or was restarted,
// needs only the latest.  The epoch rejects those of an older controller; within a connection they
// come in order.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "domain/cluster/event.h"
#include "domain/cluster/state.h"

namespace gp {

struct LeaseOrder {
  Lease lease;
  std::shared_ptr<const JobSpec> spec;
  User user;
  std::string queue;                    // of the job
  std::vector<std::string> node_names;  // of all ranks, in order
  std::string master_address;           // of rank 0's node
  JobId array;                          // of which the job is an element; 0: of none
  std::string resume_from;              // its newest complete checkpoint; empty: there is none
  int64_t resume_step = 0;
  std::vector<std::string> surplus;  // checkpoints of this rank that are to be removed
  // Of spec.secrets; whoever sends the order puts them in
  std::map<std::string, std::string> secrets;
  bool operator==(const LeaseOrder& other) const { return lease == other.lease; }
};

// What to do with a GPU that nobody uses; done once, and its result told until the order is gone.
struct GpuTaskOrder {
  int gpu = 0;  // position in the node
  GpuTask task = GpuTask::kTest;
  uint64_t number = 0;
  bool operator==(const GpuTaskOrder&) const = default;
};

struct NodeDesiredState {
  uint64_t epoch = 0;     // of the controller
  uint64_t revision = 0;  // grows within a connection
  LeaseId last_lease;     // the newest that the controller has given out, to any node
  std::vector<LeaseOrder> leases;
  uint64_t lineage = 0;  // of the journal: what the leases' numbers belong to
  std::vector<GpuTaskOrder> tasks;
};

// The orders for one node as the state has them (revision left to the sender).
NodeDesiredState DesiredStateFor(const State& state, NodeId node);

// The nodes whose orders these events changed; `state` is the one after them.
std::set<NodeId> NodesToOrder(const State& state, const std::vector<Event>& events);

}  // namespace gp
