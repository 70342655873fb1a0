#pragma once

// The requests to change the cluster.  A command may be refused; otherwise it results in a list of
// events.  Time and identity enter only through the envelope.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "base/time.h"
#include "base/variant_of.h"
#include "domain/cluster/policy.h"
#include "domain/faults/incident.h"
#include "domain/faults/signal.h"
#include "domain/faults/trouble.h"
#include "domain/metering/budget.h"
#include "domain/model/access.h"
#include "domain/model/jobs/job.h"
#include "domain/model/nodes/node.h"
#include "domain/model/reservation.h"
#include "domain/model/time_line.h"

namespace gp {

// The controller begins (or a standby takes over) with this policy.
struct StartController {
  Policy policy;
  uint64_t lineage = 0;  // a new one begins; 0: the present one continues
  bool cut = false;      // records are lost: leases that they created may still run somewhere
  TimeLine time;
  uint64_t format = 0;  // of this record and those that follow; 0: as before
};

// The wall clock was stepped, by an operator or a daemon.
struct StepWallClock {
  Duration wall;  // wall clock = instant + wall from now on
};

// What an agent observes of one lease that the controller assigned to it.
struct LeaseObservation {
  LeaseId lease;
  bool running = false;  // the program was executed; false and not ended: still being started
  bool ended = false;
  Instant started_at;  // by the node's clock
  Instant ended_at;
  LeaseOutcome outcome;
  std::vector<Checkpoint> checkpoints;  // its newest; every report repeats them
  bool is_hung = false;                 // no progress for longer than its spec allows
  RankUse use;                          // counted since the node began to measure
  // Since its program was executed, by the boot clock of its node; 0: unknown
  Duration ran;
  // That the image's tag names there, while the start waits for the job's (Job::image_digest)
  std::string image_digest;
  // Of the ports that rank 0's agent leases to the attempt, while the ranks wait for them
  // (AttemptRecord::first_port); 0: none
  int first_port = 0;
  // Number of the rule of on_metric whose condition it met, from 1; 0: none.  And what met it.
  int metric_rule = 0;
  std::string metric_value;  // "train/loss is nan at step 812"
  bool operator==(const LeaseObservation&) const = default;
};
GP_FIELDS(LeaseObservation, v.lease, v.running, v.ended, v.started_at, v.ended_at, v.outcome,
          v.checkpoints, v.is_hung, v.use, Since<17>(v.ran), Since<20>(v.image_digest),
          Since<20>(v.first_port), Since<20>(v.metric_rule), Since<20>(v.metric_value))

struct GpuObservation {
  int gpu = 0;
  bool healthy = true;
  bool lost = false;
  std::string detail;                   // what is wrong, in words
  std::vector<HealthFinding> findings;  // the same, to be judged by the policy's table
  bool operator==(const GpuObservation&) const = default;
};
GP_FIELDS(GpuObservation, v.gpu, v.healthy, v.lost, v.detail, Since<17>(v.findings))

// An agent joins with its node, at its start or after it was disconnected.
struct JoinNode {
  std::shared_ptr<const NodeFacts> facts;
  uint64_t incarnation = 0;
  bool fresh = false;  // it remembers no earlier leases and has ended all that it found
  std::vector<LeaseObservation> leases;
  uint64_t lineage = 0;  // of the leases; 0: it knows none
};

// All that an agent observes: a lease that is not listed does not exist on the node.
struct ReportNode {
  NodeId node;
  uint64_t incarnation = 0;
  std::vector<LeaseObservation> leases;
  std::vector<GpuObservation> gpus;
  // Keys (ImageKey) of images whose layers the node has; nullopt: as they were. At most
  // kImageKeysMax count.
  std::optional<std::vector<uint64_t>> images = std::nullopt;
};

inline constexpr size_t kImageKeysMax = 128;  // of a node

// The result of a GPU task of a node.
struct GpuTaskResult {
  int gpu = 0;
  uint64_t number = 0;  // of the task
  bool ok = false;
  std::string detail;  // what was found, or why not
  bool operator==(const GpuTaskResult&) const = default;
};
GP_FIELDS(GpuTaskResult, v.gpu, v.number, v.ok, v.detail)

// What happened to GPUs of a node since its last report; each item is reported once.
struct ReportGpus {
  NodeId node;
  uint64_t incarnation = 0;
  std::vector<FaultSignal> signals;  // by number
  std::vector<GpuTaskResult> results;
};

// An operator acknowledges an incident, or closes it.
struct ChangeIncident {
  IncidentId incident;
  IncidentState to = IncidentState::kAcknowledged;
  std::string note;
};

// The node sent no heartbeat for a whole lease time.
struct ExpireHeartbeat {
  NodeId node;
};

// An operator guarantees that nothing runs on the node any more.
struct DeclareNodeLost {
  NodeId node;
  std::string reason;
};

enum class ServiceAction { kDrain, kOffline, kOnline, kReset };

// Takes a GPU (or with gpu < 0 a whole node) out of service, or back.
struct ChangeService {
  NodeId node;
  int gpu = -1;
  ServiceAction action = ServiceAction::kDrain;
  bool force = false;  // kOffline, kReset: stop the jobs on it now
  std::string reason;
  Duration deadline;  // kDrain: from now, how long jobs may still run there; 0: until they end
};

struct SubmitJob {
  std::shared_ptr<const JobSpec> spec;
  User user;
};

struct StopJob {
  JobId job;
  bool force = false;  // kill at once, no grace
};

struct HoldJob {
  JobId job;
};

struct ReleaseJob {
  JobId job;
};

// A proposal of the scheduler.  It is checked slot by slot like any other command.
struct PlaceGang {
  uint64_t pass = 0;
  JobId job;
  std::vector<RankPlacement> ranks;
  std::string note;  // why this placement, in words
  int variant = 0;   // of the job's alternatives of resources
  bool operator==(const PlaceGang&) const = default;
};

// A proposal of the scheduler: evict `job` so that the pending job `by` can start in its place.
struct PreemptJob {
  uint64_t pass = 0;
  JobId job;
  JobId by;
  std::vector<NodeId> nodes;  // where `by` fits once all its victims have left
  bool operator==(const PreemptJob&) const = default;
};

// Changes a queue, or creates one.  Absent fields keep their value, or get the default.
struct SetQueue {
  std::string name;
  std::optional<std::string> pool;
  std::optional<int> weight;
  std::optional<int64_t> guaranteed;
  std::optional<bool> reclaimable;
  // -1: no limit.
  struct QuotaChange {
    std::optional<int64_t> gpus;
    std::optional<int64_t> jobs;
    std::optional<int64_t> gpu_hours;
    std::optional<int64_t> cpus;
    std::optional<int64_t> memory_mib;
  };
  QuotaChange limit;
  QuotaChange user_limit;
  std::optional<Duration> default_time;  // 0: none
  std::optional<Duration> max_time;
  std::optional<int64_t> min_gpus;
  std::optional<Duration> wait_target;
  std::optional<NetworkAccess> network;
};
GP_FIELDS(SetQueue::QuotaChange, v.gpus, v.jobs, v.gpu_hours, Since<19>(v.cpus),
          Since<19>(v.memory_mib))

struct DeleteQueue {
  std::string name;
};

// Changes the pool and the labels of a node.
struct ChangeNode {
  NodeId node;
  std::optional<std::string> pool;
  std::map<std::string, std::string> labels;  // set
  std::vector<std::string> labels_removed;
};

struct SetPriority {
  JobId job;
  int priority = 0;
  bool may_raise = true;  // only admins of its queue may
};

// Creates an advance reservation: of the nodes that it names, or of `count` nodes.
struct ReserveNodes {
  Reservation reservation;
  int count = 0;
};

struct EndReservation {
  std::string name;
};

// Moves running jobs so that the pending job `by` gets their places; each resumes at its
// destination.
struct MoveJobs {
  JobId by;
  std::vector<NodeId> nodes;  // where `by` fits once all of them have left
  struct Move {
    JobId job;
    std::vector<RankTarget> destination;  // by rank
    bool operator==(const Move&) const = default;
  };
  std::vector<Move> moves;
  bool operator==(const MoveJobs&) const = default;
};
GP_FIELDS(MoveJobs::Move, v.job, v.destination)

// Grants the subject a role; no role: revokes the granted one.
struct GrantRole {
  std::string subject;  // a user, or kEverybody
  std::string queue;    // and below; empty: everywhere
  std::optional<Role> role;
};

// The controller fills in the token's id, time and issuer.
struct IssueToken {
  AccessToken token;
};

struct RevokeToken {
  TokenId token;
};

// The controller's certificate authority has issued a certificate for a node.
struct CertifyNode {
  std::string name;
  NodeCertificate certificate;
  // The fingerprint of the certificate that the agent presented; empty: it presented a join token
  std::string shown;
  std::string join_token;  // SHA-256 of a single-use one; empty: it was the cluster's
};

// Revokes all certificates of the node: its agent is disconnected and has to join again with the
// join token.
struct RevokeNode {
  std::string name;
};

// Changes a budget, or creates one.  Absent fields keep their value, or get the default; 0 hours or
// money: no such limit.
struct SetBudget {
  BudgetKey key;
  std::optional<int64_t> gpu_hours;
  std::optional<int64_t> money_micros;
  std::optional<std::vector<int>> warn_at;
  std::optional<OverBudget> over;
};

struct DeleteBudget {
  BudgetKey key;
};

// Requests a check of a budget's level.
struct ReviewBudget {
  BudgetKey key;
};

// Changes the policy at run time.  Lease times stay: supervisors depend on them.
struct SetPolicy {
  Policy policy;
  std::string changes;  // in words, for the audit
};

// For the audit: a user changed something outside the state, such as a secret.
struct NoteChange {
  std::string operation;
  std::string target;
  std::string details;
};

// Changes the time limit of a job that has one.
struct ChangeTimeLimit {
  JobId job;
  Duration time_limit;  // in total; 0: use `longer_by`
  Duration longer_by;   // added to the present limit
  bool force = false;   // although others wait for its resources
};

// Moves a job that holds nothing to another queue, and to that queue's pool.
struct ChangeJobQueue {
  JobId job;
  std::string queue;
};

// For the audit: a request was refused `times` times.
struct NoteRefusal {
  std::string operation;
  std::string why;
  int times = 1;
};

// The commands before it were one request of a client, which is answered now.
struct RememberRequest {};

// Lets the agent of this node join once by the token, which replaces an earlier one.  The
// controller fills in the issuer.
struct IssueJoinToken {
  std::string name;
  NodeJoinToken token;
};

// Every controller reads this format now, or those that do not are gone: records are written in it.
struct RaiseFormat {
  uint64_t format = 0;
};

// Time passes: handles limits, back-offs and other deadlines that are due.
struct Tick {};

// All commands: the name, who else learns of it (command_traits.h), and its fields in their order
// on disk (base/fields.h).  The position of a row is the command's number in journals: add new ones
// at the end.
#define GP_COMMANDS(COMMAND)                                                                      \
  COMMAND(StartController, kRecorded, v.policy, v.lineage, v.cut, Since<17>(v.time),              \
          Since<21>(v.format))                                                                    \
  COMMAND(JoinNode, kJournalOnly, v.facts, v.incarnation, v.fresh, v.leases, v.lineage)           \
  COMMAND(ReportNode, kJournalOnly, v.node, v.incarnation, v.leases, v.gpus, Since<20>(v.images)) \
  COMMAND(ExpireHeartbeat, kJournalOnly, v.node)                                                  \
  COMMAND(DeclareNodeLost, kAudited, v.node, v.reason)                                            \
  COMMAND(ChangeService, kAudited | kRecorded, v.node, v.gpu, v.action, v.force, v.reason,        \
          v.deadline)                                                                             \
  COMMAND(SubmitJob, kAudited, v.spec, v.user)                                                    \
  COMMAND(StopJob, kAudited | kRecorded, v.job, v.force)                                          \
  COMMAND(HoldJob, kAudited | kRecorded, v.job)                                                   \
  COMMAND(ReleaseJob, kAudited | kRecorded, v.job)                                                \
  COMMAND(PlaceGang, kJournalOnly, v.pass, v.job, v.ranks, v.note, v.variant)                     \
  COMMAND(Tick, kJournalOnly)                                                                     \
  COMMAND(PreemptJob, kJournalOnly, v.pass, v.job, v.by, v.nodes)                                 \
  COMMAND(SetQueue, kAudited | kRecorded, v.name, v.pool, v.weight, v.guaranteed, v.reclaimable,  \
          v.limit, v.user_limit, Since<17>(v.default_time), Since<17>(v.max_time),                \
          Since<19>(v.min_gpus), Since<19>(v.wait_target), Since<20>(v.network))                  \
  COMMAND(DeleteQueue, kAudited | kRecorded, v.name)                                              \
  COMMAND(ChangeNode, kAudited | kRecorded, v.node, v.pool, v.labels, v.labels_removed)           \
  COMMAND(SetPriority, kAudited | kRecorded, v.job, v.priority, v.may_raise)                      \
  COMMAND(ReserveNodes, kAudited | kRecorded, v.reservation, v.count)                             \
  COMMAND(EndReservation, kAudited | kRecorded, v.name)                                           \
  COMMAND(MoveJobs, kAudited, v.by, v.nodes, v.moves)                                             \
  COMMAND(ReportGpus, kJournalOnly, v.node, v.incarnation, v.signals, v.results)                  \
  COMMAND(ChangeIncident, kAudited, v.incident, v.to, v.note)                                     \
  COMMAND(GrantRole, kAudited, v.subject, v.queue, v.role)                                        \
  COMMAND(IssueToken, kAudited, v.token)                                                          \
  COMMAND(RevokeToken, kAudited, v.token)                                                         \
  COMMAND(CertifyNode, kAudited, v.name, v.certificate, v.shown, Since<21>(v.join_token))         \
  COMMAND(RevokeNode, kAudited, v.name)                                                           \
  COMMAND(NoteRefusal, kAudited, v.operation, v.why, v.times)                                     \
  COMMAND(SetBudget, kAudited, v.key, v.gpu_hours, v.money_micros, v.warn_at, v.over)             \
  COMMAND(DeleteBudget, kAudited, v.key)                                                          \
  COMMAND(SetPolicy, kAudited | kRecorded, v.policy, v.changes)                                   \
  COMMAND(ChangeTimeLimit, kAudited | kRecorded, v.job, v.time_limit, v.longer_by, v.force)       \
  COMMAND(NoteChange, kAudited, v.operation, v.target, v.details)                                 \
  COMMAND(StepWallClock, kJournalOnly, v.wall)                                                    \
  COMMAND(ReviewBudget, kJournalOnly, v.key)                                                      \
  COMMAND(RememberRequest, kJournalOnly)                                                          \
  COMMAND(ChangeJobQueue, kAudited | kRecorded, v.job, v.queue)                                   \
  COMMAND(RaiseFormat, kAudited, v.format)                                                        \
  COMMAND(IssueJoinToken, kAudited, v.name, v.token)

#define GP_ALTERNATIVE(Name, ...) , Name
using Command = VariantOf<void GP_COMMANDS(GP_ALTERNATIVE)>;
#undef GP_ALTERNATIVE

// Who sent a command, and from where.
struct Origin {
  Origin() = default;
  Origin(std::string name, std::string place = "")
      : principal(std::move(name)), from(std::move(place)) {}
  Origin(const char* name) : principal(name) {}

  std::string principal;  // "user:ana", "node:n1", "scheduler", "controller"
  std::string from;       // "unix", "127.0.0.1:40312"; empty: the controller itself
};
GP_FIELDS(Origin, v.principal, v.from)

// The request of a client that a command serves.
struct ClientRequest {
  ClientRequest() = default;
  ClientRequest(std::string name, uint64_t content = 0) : id(std::move(name)), digest(content) {}
  ClientRequest(const char* name) : id(name) {}

  std::string id;       // chosen by the client; empty: a repeat is a new request
  uint64_t digest = 0;  // of everything but the id: a repeated id must mean the same
};

struct Envelope {
  Instant at;
  Origin origin;
  ClientRequest request;
  Command command;
};
GP_FIELDS(Envelope, v.at, v.origin, v.request.id, v.command, Since<18>(v.request.digest))

}  // namespace gp
