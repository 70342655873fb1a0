#pragma once

// What happened.  Events are facts: Apply never refuses one.  They are named in the past tense and
// carry all that Apply needs, so that a fold over them gives the state.

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "domain/cluster/policy.h"
#include "domain/model/job.h"
#include "domain/model/node.h"
#include "domain/model/reservation.h"

namespace gp {

struct ControllerStarted {
  Policy policy;
  uint64_t lineage = 0;
  Instant quiet_until;
};

struct NodeJoined {
  NodeId node;
  std::shared_ptr<const NodeFacts> facts;
  uint64_t incarnation = 0;
};

struct NodeLost {
  NodeId node;
};

// The leases that end by themselves on a lost node have ended, one way or the other.
struct NodeLeasesExpired {
  NodeId node;
};

struct NodeReturned {
  NodeId node;
};

struct NodeDrainChanged {
  NodeId node;
  bool draining = false;
  std::string reason;
};

struct GpuConditionChanged {
  NodeId node;
  int gpu = 0;
  GpuCondition to = GpuCondition::kUnknown;
  std::string reason;
};

struct GpuDrainChanged {
  NodeId node;
  int gpu = 0;
  bool draining = false;
  std::string reason;
};

struct JobSubmitted {
  JobId job;
  std::shared_ptr<const JobSpec> spec;
  User user;
  std::string request_id;
  std::string queue;
  std::string pool;
};

// All that it waited for has come.
struct JobUnblocked {
  JobId job;
};

struct JobHeld {
  JobId job;
};

struct JobReleased {
  JobId job;
};

struct GangPlaced {
  uint64_t pass = 0;
  JobId job;
  std::vector<Lease> leases;  // by rank
  std::string note;
  int variant = 0;
};

struct LeaseStarted {
  LeaseId lease;
  Instant started_at;
};

struct LeaseEnded {
  LeaseId lease;
  JobId job;
  LeaseOutcome outcome;
};

struct JobStarted {
  JobId job;
};

// Every live lease of the job is to be ended.
struct JobStopOrdered {
  JobId job;
  StopCause cause = StopCause::kCancel;
  StopOrder order = StopOrder::kGraceful;
  std::string reason;
};

// A running job is told to stop for another one, and will be queued again.
struct JobPreemptionOrdered {
  uint64_t pass = 0;
  JobId job;
  JobId by;
  std::vector<NodeId> nodes;  // kept for `by`
};

enum class RequeueCharge { kNobody, kRetry, kFault, kPreemption, kMove };

struct JobRequeued {
  JobId job;
  RequeueCharge charge = RequeueCharge::kNobody;
  Instant eligible_at;  // not after now: at once
  std::string reason;
};

// A job whose back-off is over may run again.
struct JobRetried {
  JobId job;
};

struct JobEnded {
  JobId job;
  JobState state = JobState::kCompleted;
  int exit_code = 0;
  std::string reason;
};

// Retention: the oldest finished job is no longer remembered.
struct JobForgotten {
  JobId job;
};

// A running job is told to stop, and goes on elsewhere: `by` gets its place.
struct JobMoveOrdered {
  JobId job;
  JobId by;
  std::vector<NodeId> nodes;  // kept for `by`
  std::vector<RankTarget> destination;  // by rank; kept for the job
};

struct QueueChanged {
  Queue queue;  // as it is now
};

struct QueueDeleted {
  std::string name;
};

struct NodePoolChanged {
  NodeId node;
  std::string pool;
};

struct NodeLabelsChanged {
  NodeId node;
  std::map<std::string, std::string> labels;  // all
};

struct JobPriorityChanged {
  JobId job;
  int priority = 0;
};

struct NodesReserved {
  Reservation reservation;
};

// Deleted, or its time is over.
struct ReservationEnded {
  std::string name;
};

using Event = std::variant<ControllerStarted, NodeJoined, NodeLost, NodeLeasesExpired, NodeReturned, NodeDrainChanged,
                           GpuConditionChanged, GpuDrainChanged, JobSubmitted, JobHeld, JobReleased,
                           GangPlaced, LeaseStarted, LeaseEnded, JobStarted, JobStopOrdered,
                           JobRequeued, JobRetried, JobEnded, JobForgotten, JobPreemptionOrdered,
                           QueueChanged, QueueDeleted, NodePoolChanged, NodeLabelsChanged, JobPriorityChanged,
                           NodesReserved, ReservationEnded, JobUnblocked, JobMoveOrdered>;

}  // namespace gp
