#pragma once

// What happened.  Events are facts: Apply never refuses one.  Their names are in the past tense,
// and they carry all that Apply needs, so that a fold over them gives the state.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/time.h"
#include "base/variant_of.h"
#include "domain/cluster/policy.h"
#include "domain/faults/incident.h"
#include "domain/faults/trouble.h"
#include "domain/metering/budget.h"
#include "domain/model/access.h"
#include "domain/model/jobs/job.h"
#include "domain/model/nodes/node.h"
#include "domain/model/reservation.h"
#include "domain/model/time_line.h"

namespace gp {

struct ControllerStarted {
  Policy policy;
  uint64_t lineage = 0;
  Instant quiet_until;
  TimeLine time;
  uint64_t format = 0;  // of its record and those that follow; 0: as before
};

struct WallClockStepped {
  Duration wall;
};

struct NodeJoined {
  NodeId node;
  std::shared_ptr<const NodeFacts> facts;
  uint64_t incarnation = 0;
  // The hardware has changed, and each known GPU keeps its position and its marks.  False: the GPUs
  // are the same, or (in journals of format 16) others, of which nothing is known.
  bool keeps_positions = false;
};

// A GPU was found in another node: its marks, troubles and incidents follow it, and its old
// position is retired.
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

// The leases on a lost node that end automatically have ended.
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
  std::string note;  // a remark of the platform; empty: none
};

// All dependencies of the job are met.
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

// Every live lease of the job must end.
struct JobStopOrdered {
  JobId job;
  StopCause cause = StopCause::kCancel;
  StopOrder order = StopOrder::kGraceful;
  std::string reason;
};

// A running job is evicted for another one, and will be queued again.
struct JobPreemptionOrdered {
  uint64_t pass = 0;
  JobId job;
  JobId by;
  std::vector<NodeId> nodes;  // reserved for `by`
};

enum class RequeueCharge { kNobody, kRetry, kFault, kPreemption, kMove };

struct JobRequeued {
  JobId job;
  RequeueCharge charge = RequeueCharge::kNobody;
  Instant eligible_at;  // not after now: at once
  std::string reason;
  EndClass end = EndClass::kNone;  // of its attempt
};

// The job has written a checkpoint.
struct CheckpointSaved {
  JobId job;
  Checkpoint checkpoint;
};

// The job's image is the one with this digest from now on, whatever its tag names later.
struct ImageResolved {
  JobId job;
  std::string digest;  // "sha256:…"
};

// The ranks of the job's attempt meet at these ports of rank 0's node.
struct PortsLeased {
  JobId job;
  int first_port = 0;
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

// Retention: an old finished job is removed from the state.
struct JobForgotten {
  JobId job;
};

// A running job is stopped and resumes elsewhere: `by` gets its place.
struct JobMoveOrdered {
  JobId job;
  JobId by;
  std::vector<NodeId> nodes;            // reserved for `by`
  std::vector<RankTarget> destination;  // by rank; reserved for the job
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

struct NodeImagesChanged {
  NodeId node;
  std::vector<uint64_t> images;  // keys (ImageKey) of all that it has, ascending
};

struct JobPriorityChanged {
  JobId job;
  int priority = 0;
};

struct NodesReserved {
  Reservation reservation;
};

// Deleted or expired.
struct ReservationEnded {
  std::string name;
};

// The instant until which jobs may run on a drained GPU, or with gpu < 0 node; ns == 0: until they
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
  std::optional<UserError> error;  // counted as an error of a program
  bool is_hot = false;             // too hot to continue
};

// The findings from a GPU's readings changed; none: it is healthy again.
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
  int reports = 0;  // how many more
  GpuRemedy remedy = GpuRemedy::kNone;
  bool needs_person = false;
  std::vector<JobId> jobs;  // interrupted now
  int64_t lost_gpu_ms = 0;
  bool is_lasting = false;  // see Incident
};

struct IncidentChanged {
  IncidentId incident;
  IncidentState state = IncidentState::kAcknowledged;
  std::string person;
  std::string note;
};

// The remedy of the GPU changed.
struct GpuRemedyChanged {
  NodeId node;
  int gpu = 0;
  GpuRemedy remedy = GpuRemedy::kNone;
  IncidentId incident;                // 0: none
  bool takes_out_of_service = false;  // counts towards the breaker
  bool is_requested = false;          // by an operator
};

struct GpuTaskOrdered {
  NodeId node;
  int gpu = 0;
  GpuTask task = GpuTask::kTest;
  uint64_t number = 0;
  bool by_itself = false;  // automatic, not requested by an operator
};

struct GpuTaskEnded {
  NodeId node;
  int gpu = 0;
  uint64_t number = 0;
  bool is_sound = false;  // it passed a test: earlier errors of programs no longer count
};

// Too many GPUs of the pool went out of service: nothing more is done automatically until an
// operator closes the incident.
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

// Revoked or expired.
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

// A user has reached another level of a budget, or is below all levels again: a new month, another
// limit.
struct BudgetLevelChanged {
  BudgetUser who;
  BudgetLevel level;
};

struct PolicyChanged {
  Policy policy;
};

struct JobQueueChanged {
  JobId job;
  std::string queue;
  std::string pool;  // the queue's
};

struct JobTimeLimitChanged {
  JobId job;
  Duration time_limit;
};

// Its time limit is near.
struct JobLimitNear {
  JobId job;
};

// The observed use of a lease up to now.
struct LeaseUseNoted {
  LeaseId lease;
  RankUse reported;     // by its node
  int64_t idle_ms = 0;  // of its GPUs until now, in measured time
};

// The job's GPUs have been idle for long enough to notify its user.
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

// A job has waited for its queue's target, and has not started.
struct WaitTargetMissed {
  std::string queue;
  JobId job;
};

// No job of the queue waits any more that had reached the target when it was missed.
struct WaitTargetMet {
  std::string queue;
};

// A user's request has made its change: a repeat of it makes none.
struct RequestAnswered {
  std::string key;  // AnsweredKey
  uint64_t digest = 0;
};

struct JoinTokenIssued {
  std::string name;  // of the node
  NodeJoinToken token;
};

// Used, expired, or the node was revoked.
struct JoinTokenEnded {
  std::string name;
};

// The records that follow are written in this format.
struct FormatRaised {
  uint64_t format = 0;
};

// All events: the name, what follows from it (event_traits.h), and its fields in their order on
// disk (base/fields.h).  The position of a row is the event's number in journals: add new ones at
// the end.
#define GP_EVENTS(EVENT)                                                                         \
  EVENT(ControllerStarted, kNoTrait, v.policy, v.lineage, v.quiet_until, Since<17>(v.time),      \
        Since<21>(v.format))                                                                     \
  EVENT(NodeJoined, kWakesPlanner | kChangesDesiredState | kLogged, v.node, v.facts,             \
        v.incarnation, Since<17>(v.keeps_positions))                                             \
  EVENT(NodeLost, kLogged, v.node)                                                               \
  EVENT(NodeLeasesExpired, kNoTrait, v.node)                                                     \
  EVENT(NodeReturned, kWakesPlanner | kChangesDesiredState | kLogged, v.node)                    \
  EVENT(NodeDrainChanged, kWakesPlanner | kLogged, v.node, v.draining, v.reason)                 \
  EVENT(GpuConditionChanged, kWakesPlanner | kLogged, v.node, v.gpu, v.to, v.reason)             \
  EVENT(GpuDrainChanged, kWakesPlanner | kLogged, v.node, v.gpu, v.draining, v.reason)           \
  EVENT(JobSubmitted, kWakesPlanner | kLogged, v.job, v.spec, v.user, v.request_id, v.queue,     \
        v.pool, v.note)                                                                          \
  EVENT(JobHeld, kWakesPlanner, v.job)                                                           \
  EVENT(JobReleased, kWakesPlanner, v.job)                                                       \
  EVENT(GangPlaced, kChangesDesiredState | kLogged, v.pass, v.job, v.leases, v.note, v.variant)  \
  EVENT(LeaseStarted, kNoTrait, v.lease, v.started_at)                                           \
  EVENT(LeaseEnded, kWakesPlanner | kChangesDesiredState, v.lease, v.job, v.outcome)             \
  EVENT(JobStarted, kWakesPlanner | kLogged, v.job)                                              \
  EVENT(JobStopOrdered, kChangesDesiredState | kLogged, v.job, v.cause, v.order, v.reason)       \
  EVENT(JobRequeued, kWakesPlanner | kLogged, v.job, v.charge, v.eligible_at, v.reason, v.end)   \
  EVENT(JobRetried, kWakesPlanner, v.job)                                                        \
  EVENT(JobEnded, kWakesPlanner | kLogged, v.job, v.state, v.exit_code, v.reason, v.end)         \
  EVENT(JobForgotten, kNoTrait, v.job)                                                           \
  EVENT(JobPreemptionOrdered, kChangesDesiredState | kLogged, v.pass, v.job, v.by, v.nodes)      \
  EVENT(QueueChanged, kWakesPlanner, v.queue)                                                    \
  EVENT(QueueDeleted, kWakesPlanner, v.name)                                                     \
  EVENT(NodePoolChanged, kWakesPlanner, v.node, v.pool)                                          \
  EVENT(NodeLabelsChanged, kWakesPlanner, v.node, v.labels)                                      \
  EVENT(JobPriorityChanged, kWakesPlanner, v.job, v.priority)                                    \
  EVENT(NodesReserved, kWakesPlanner, v.reservation)                                             \
  EVENT(ReservationEnded, kWakesPlanner, v.name)                                                 \
  EVENT(JobUnblocked, kWakesPlanner, v.job)                                                      \
  EVENT(JobMoveOrdered, kChangesDesiredState | kLogged, v.job, v.by, v.nodes, v.destination)     \
  EVENT(FaultSeen, kLogged, v.node, v.gpu, v.number, v.xid, v.error, v.is_hot)                   \
  EVENT(JobXidNoted, kLogged, v.job, v.note)                                                     \
  EVENT(IncidentOpened, kLogged, v.incident)                                                     \
  EVENT(IncidentNoted, kLogged, v.incident, v.what, v.reports, v.remedy, v.needs_person, v.jobs, \
        v.lost_gpu_ms, Since<17>(v.is_lasting))                                                  \
  EVENT(IncidentChanged, kLogged, v.incident, v.state, v.person, v.note)                         \
  EVENT(GpuRemedyChanged, kNoTrait, v.node, v.gpu, v.remedy, v.incident, v.takes_out_of_service, \
        v.is_requested)                                                                          \
  EVENT(GpuTaskOrdered, kChangesDesiredState | kLogged, v.node, v.gpu, v.task, v.number,         \
        v.by_itself)                                                                             \
  EVENT(GpuTaskEnded, kChangesDesiredState, v.node, v.gpu, v.number, v.is_sound)                 \
  EVENT(BreakerOpened, kLogged, v.pool, v.incident)                                              \
  EVENT(CheckpointSaved, kChangesDesiredState | kLogged, v.job, v.checkpoint)                    \
  EVENT(DrainDeadlineSet, kNoTrait, v.node, v.gpu, v.at)                                         \
  EVENT(RoleGranted, kChangesAccess, v.subject, v.queue, v.role)                                 \
  EVENT(TokenIssued, kChangesAccess, v.token)                                                    \
  EVENT(TokenEnded, kChangesAccess, v.token)                                                     \
  EVENT(NodeCertified, kChangesAccess, v.name, v.certificate)                                    \
  EVENT(NodeRevoked, kChangesAccess, v.name)                                                     \
  EVENT(AccessRefused, kNoTrait, v.operation, v.why, v.times)                                    \
  EVENT(BudgetChanged, kNoTrait, v.key, v.budget)                                                \
  EVENT(BudgetDeleted, kNoTrait, v.key)                                                          \
  EVENT(PolicyChanged, kWakesPlanner, v.policy)                                                  \
  EVENT(JobTimeLimitChanged, kWakesPlanner, v.job, v.time_limit)                                 \
  EVENT(JobLimitNear, kLogged, v.job)                                                            \
  EVENT(LeaseUseNoted, kNoTrait, v.lease, v.reported, v.idle_ms)                                 \
  EVENT(JobIdle, kLogged, v.job, v.reason)                                                       \
  EVENT(ChangeNoted, kNoTrait, v.operation, v.target)                                            \
  EVENT(GpuMoved, kWakesPlanner | kChangesDesiredState | kLogged, v.from, v.to)                  \
  EVENT(GpuRetired, kWakesPlanner | kLogged, v.gpu)                                              \
  EVENT(WallClockStepped, kWakesPlanner | kLogged, v.wall)                                       \
  EVENT(GpuHealthChanged, kNoTrait, v.node, v.gpu, v.findings)                                   \
  EVENT(BudgetLevelChanged, kWakesPlanner | kLogged, v.who, v.level)                             \
  EVENT(RequestAnswered, kNoTrait, v.key, v.digest)                                              \
  EVENT(JobQueueChanged, kWakesPlanner, v.job, v.queue, v.pool)                                  \
  EVENT(WaitTargetMissed, kLogged, v.queue, v.job)                                               \
  EVENT(WaitTargetMet, kLogged, v.queue)                                                         \
  EVENT(ImageResolved, kChangesDesiredState | kLogged, v.job, v.digest)                          \
  EVENT(PortsLeased, kChangesDesiredState, v.job, v.first_port)                                  \
  EVENT(NodeImagesChanged, kNoTrait, v.node, v.images)                                           \
  EVENT(FormatRaised, kNoTrait, v.format)                                                        \
  EVENT(JoinTokenIssued, kChangesAccess, v.name, v.token)                                        \
  EVENT(JoinTokenEnded, kChangesAccess, v.name)

#define GP_ALTERNATIVE(Name, ...) , Name
using Event = VariantOf<void GP_EVENTS(GP_ALTERNATIVE)>;
#undef GP_ALTERNATIVE

}  // namespace gp
