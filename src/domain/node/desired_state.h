#pragma once

// The desired state of a node, sent complete each time: an agent that missed a message or restarted
// needs only the latest. The epoch rejects those of an older controller; within a connection they
// arrive in order.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

// A lease as its node is to hold it, with all that the agent needs to start the job.
struct DesiredLease {
  Lease lease;
  std::shared_ptr<const JobSpec> spec;
  User user;
  std::string queue;                    // of the job
  std::vector<std::string> node_names;  // of all ranks, in order
  std::string master_address;           // of rank 0's node
  JobId array;                          // of which the job is an element; 0: none
  std::string resume_from;              // its newest complete checkpoint; empty: none
  int64_t resume_step = 0;
  int64_t checkpoints_seen = 0;      // of this rank: reports up to this number are recorded
  std::string resume_copy;           // CopyName of that checkpoint; empty: it has no copy
  std::vector<std::string> copies;   // CopyName of all checkpoints of the job that are copied
  std::vector<std::string> surplus;  // checkpoints of this rank to remove
  std::string image_digest;          // of the job (model/jobs/job.h)
  // Of the ports where the ranks meet (model/jobs/ports.h); 0: not leased.  The agent itself fills
  // in those of a job with one rank.
  int first_port = 0;
  bool awaits_ports = false;  // no rank starts before rank 0's agent has leased them
  // What the ranks prove to each other that they are of this attempt with; the sender fills it in.
  // Empty: they need none.
  std::string job_token;
  // Values of SecretsOf(*spec); the sender fills them in
  std::map<std::string, std::string> secrets;
  bool operator==(const DesiredLease& other) const { return lease == other.lease; }
};

// What to do with an unused GPU. Done once; the agent reports the result until the task is gone.
struct DesiredGpuTask {
  int gpu = 0;  // position in the node
  GpuTask task = GpuTask::kTest;
  uint64_t number = 0;
  bool operator==(const DesiredGpuTask&) const = default;
};

struct NodeDesiredState {
  uint64_t epoch = 0;     // of the controller
  uint64_t revision = 0;  // grows within a connection
  LeaseId last_lease;     // the newest lease that the controller has assigned to any node
  std::vector<DesiredLease> leases;
  uint64_t lineage = 0;  // of the journal: the leases' numbers belong to it
  std::vector<DesiredGpuTask> tasks;
};

// The desired state of one node (the sender sets the revision).
NodeDesiredState DesiredStateFor(const State& state, NodeId node);

// The nodes whose desired state these events changed; `state` is the state after them.
std::set<NodeId> NodesToUpdate(const State& state, const std::vector<Event>& events);

}  // namespace gp
