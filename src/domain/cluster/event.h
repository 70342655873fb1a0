#pragma once

// What happened.  Events are facts: Apply never refuses one.  They are named in the past tense and
// carry all that Apply needs, so that a fold over them gives the state.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "domain/cluster/policy.h"
#include "domain/faults/incident.h"
#include "domain/faults/trouble.h"
#include "domain/metering/budget.h"
#include "domain/model/access.h"
#include "domain/model/job.h"
#include "domain/model/node.h"
#include "domain/model/reservation.h"
#include "domain/model/time_line.h"

namespace gp {

struct ControllerStarted {
  Policy policy;
  uint64_t lineage = 0;
  Instant quiet_until;
  TimeLine time;
};

struct WallClockStepped {
  Duration wall;
};

struct NodeJoined {
  NodeId node;
  std::shared_ptr<const NodeFacts> facts;
  uint64_t incarnation = 0;
  // Its hardware has changed, and each GPU that it had keeps its position and its marks.  False:
  // the GPUs are those that it had, or (in journals of format 16) others, of which nothing is
  // known.
  bool keeps_positions = false;
};

// A GPU is found in another node: its marks, troubles and incidents follow it, and its old position
// is retired.
struct GpuMoved {
  GpuKey from;
  GpuKey to;
};

// An operator has closed the incident of a missing GPU: it is no longer expected back.
struct GpuRetired {
  GpuKey gpu;
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
  std::string note;  // what the platform has to say of it; empty: nothing
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
  EndClass end = EndClass::kNone;  // of its attempt
};

// It has written something to go on from.
struct CheckpointSaved {
  JobId job;
  Checkpoint checkpoint;
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
  EndClass end = EndClass::kNone;  // of its attempt
};

// Retention: the oldest finished job is no longer remembered.
struct JobForgotten {
  JobId job;
};

// A running job is told to stop, and goes on elsewhere: `by` gets its place.
struct JobMoveOrdered {
  JobId job;
  JobId by;
  std::vector<NodeId> nodes;            // kept for `by`
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

// Until when jobs may run on a GPU, or with gpu < 0 on a node, that is drained; ns == 0: until they
// end.
struct DrainDeadlineSet {
  NodeId node;
  int gpu = -1;
  Instant at;
};

// The driver reported an error of the GPU.
struct FaultSeen {
  NodeId node;
  int gpu = 0;                     // -1: of the node's fabric, or of a GPU that is not known
  uint64_t number = 0;             // of the node's report
  int xid = 0;                     // 0: something else; of the fabric: the SXid
  std::optional<UserError> error;  // counted, as a program's
  bool is_hot = false;             // too hot to go on
};

// The readings of a GPU say something else than before, or that it is well again.
struct GpuHealthChanged {
  NodeId node;
  int gpu = 0;
  std::vector<HealthFinding> findings;
};

struct JobXidNoted {
  JobId job;
  XidNote note;
};

struct IncidentOpened {
  Incident incident;
};

struct IncidentNoted {
  IncidentId incident;
  std::string what;
  int reports = 0;  // more of them
  GpuRemedy remedy = GpuRemedy::kNone;
  bool needs_person = false;
  std::vector<JobId> jobs;  // interrupted now
  int64_t lost_gpu_ms = 0;
  bool is_lasting = false;  // from now on, as Incident says
};

struct IncidentChanged {
  IncidentId incident;
  IncidentState state = IncidentState::kAcknowledged;
  std::string person;
  std::string note;
};

// What is to be done about the GPU is another thing now.
struct GpuRemedyChanged {
  NodeId node;
  int gpu = 0;
  GpuRemedy remedy = GpuRemedy::kNone;
  IncidentId incident;                // 0: none
  bool takes_out_of_service = false;  // counts for the breaker
  bool is_asked = false;              // by a person
};

struct GpuTaskOrdered {
  NodeId node;
  int gpu = 0;
  GpuTask task = GpuTask::kTest;
  uint64_t number = 0;
  bool by_itself = false;  // nobody asked for it
};

struct GpuTaskEnded {
  NodeId node;
  int gpu = 0;
  uint64_t number = 0;
  bool is_sound = false;  // a test says so: errors of programs before it no longer count
};

// So many GPUs of the pool were taken out that nothing more is done by itself until a person closes
// the incident.
struct BreakerOpened {
  std::string pool;
  IncidentId incident;
};

struct RoleGranted {
  std::string subject;
  std::string queue;
  std::optional<Role> role;  // none: taken away
};

struct TokenIssued {
  AccessToken token;
};

// Revoked, or its time is over.
struct TokenEnded {
  TokenId token;
};

struct NodeCertified {
  std::string name;
  NodeCertificate certificate;
};

struct NodeRevoked {
  std::string name;
};

struct BudgetChanged {
  BudgetKey key;
  Budget budget;  // as it is now
};

struct BudgetDeleted {
  BudgetKey key;
};

// Somebody has reached another level of a budget, or none any more: a new month, another limit.
struct BudgetLevelChanged {
  BudgetUser who;
  BudgetLevel level;
};

struct PolicyChanged {
  Policy policy;
};

struct JobTimeLimitChanged {
  JobId job;
  Duration time_limit;
};

// Its time limit is near.
struct JobLimitNear {
  JobId job;
};

// What a lease was seen to do, up to now.
struct LeaseUseNoted {
  LeaseId lease;
  RankUse reported;     // by its node
  int64_t idle_ms = 0;  // so long its GPUs have been idle until now, of the time that was measured
};

// Its GPUs have been idle for so long that its user is to know.
struct JobIdle {
  JobId job;
  std::string reason;
};

// For the audit alone.
struct ChangeNoted {
  std::string operation;
  std::string target;
};

// For the audit alone.
struct AccessRefused {
  std::string operation;
  std::string why;
  int times = 1;
};

using Event =
    std::variant<ControllerStarted, NodeJoined, NodeLost, NodeLeasesExpired, NodeReturned,
                 NodeDrainChanged, GpuConditionChanged, GpuDrainChanged, JobSubmitted, JobHeld,
                 JobReleased, GangPlaced, LeaseStarted, LeaseEnded, JobStarted, JobStopOrdered,
                 JobRequeued, JobRetried, JobEnded, JobForgotten, JobPreemptionOrdered,
                 QueueChanged, QueueDeleted, NodePoolChanged, NodeLabelsChanged, JobPriorityChanged,
                 NodesReserved, ReservationEnded, JobUnblocked, JobMoveOrdered, FaultSeen,
                 JobXidNoted, IncidentOpened, IncidentNoted, IncidentChanged, GpuRemedyChanged,
                 GpuTaskOrdered, GpuTaskEnded, BreakerOpened, CheckpointSaved, DrainDeadlineSet,
                 RoleGranted, TokenIssued, TokenEnded, NodeCertified, NodeRevoked, AccessRefused,
                 BudgetChanged, BudgetDeleted, PolicyChanged, JobTimeLimitChanged, JobLimitNear,
                 LeaseUseNoted, JobIdle, ChangeNoted, GpuMoved, GpuRetired, WallClockStepped,
                 GpuHealthChanged, BudgetLevelChanged>;

}  // namespace gp
