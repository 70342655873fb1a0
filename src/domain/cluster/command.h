#pragma once

// What the outside may ask of the cluster.  A command may be refused; what follows from it is a
// list of events.  The envelope is the only way by which time and identity get in.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "domain/cluster/policy.h"
#include "domain/faults/incident.h"
#include "domain/faults/signal.h"
#include "domain/faults/trouble.h"
#include "domain/metering/budget.h"
#include "domain/model/access.h"
#include "domain/model/job.h"
#include "domain/model/node.h"
#include "domain/model/reservation.h"
#include "domain/model/time_line.h"

namespace gp {

// The controller begins (or a standby takes over) with this policy.
struct StartController {
  Policy policy;
  uint64_t lineage = 0;  // a new one begins; 0: the present one goes on
  bool cut = false;      // records are lost: what they started may still run somewhere
  TimeLine time;
};

// The wall clock was stepped, by a person or a daemon.
struct StepWallClock {
  Duration wall;  // it is instant + wall now
};

// What an agent sees of one lease that it was ordered to hold.
struct LeaseObservation {
  LeaseId lease;
  bool running = false;  // the program was executed; false and not ended: still being started
  bool ended = false;
  Instant started_at;  // by the node's clock
  Instant ended_at;
  LeaseOutcome outcome;
  std::vector<Checkpoint> checkpoints;  // its newest, as they were reported; told again and again
  bool is_hung = false;                 // no progress for longer than its spec allows
  RankUse use;                          // counted since the node began to
  // Since its program was executed, by the boot clock of its node; 0: unknown
  Duration ran;
  bool operator==(const LeaseObservation&) const = default;
};

struct GpuObservation {
  int gpu = 0;
  bool healthy = true;
  bool lost = false;
  std::string detail;                   // what is wrong, in words
  std::vector<HealthFinding> findings;  // the same, to be judged by the policy's table
  bool operator==(const GpuObservation&) const = default;
};

// An agent introduces its node, at its start or after it lost touch.
struct JoinNode {
  std::shared_ptr<const NodeFacts> facts;
  uint64_t incarnation = 0;
  bool fresh = false;  // it remembers nothing of earlier leases and has ended all it found
  std::vector<LeaseObservation> leases;
  uint64_t lineage = 0;  // of those; 0: it knows none
};

// All that an agent sees: a lease that it does not name is not there.
struct ReportNode {
  NodeId node;
  uint64_t incarnation = 0;
  std::vector<LeaseObservation> leases;
  std::vector<GpuObservation> gpus;
};

// How a task ended that a node was given for one of its GPUs.
struct GpuTaskResult {
  int gpu = 0;
  uint64_t number = 0;  // of the task
  bool ok = false;
  std::string detail;  // what was found, or why not
  bool operator==(const GpuTaskResult&) const = default;
};

// What happened to GPUs of a node since its last word, each of it once.
struct ReportGpus {
  NodeId node;
  uint64_t incarnation = 0;
  std::vector<FaultSignal> signals;  // by number
  std::vector<GpuTaskResult> results;
};

// A person has taken notice of an incident, or declares it over.
struct ChangeIncident {
  IncidentId incident;
  IncidentState to = IncidentState::kAcknowledged;
  std::string note;
};

// Nothing was heard of the node for a whole lease time.
struct ExpireHeartbeat {
  NodeId node;
};

// A person answers for it that nothing runs on the node any more.
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
  bool force = false;  // kOffline, kReset: tell the jobs on it to stop now
  std::string reason;
  Duration deadline;  // kDrain: so long from now jobs may still run there; 0: until they end
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
  std::string note;  // why here, in words
  int variant = 0;   // of the job's ways to be given what it needs
  bool operator==(const PlaceGang&) const = default;
};

// A proposal of the scheduler: interrupt `job` so that `by`, which waits, gets its place.
struct PreemptJob {
  uint64_t pass = 0;
  JobId job;
  JobId by;
  std::vector<NodeId> nodes;  // where `by` fits when all that are interrupted for it have gone
  bool operator==(const PreemptJob&) const = default;
};

// Changes a queue, or makes one.  Absent: stays, or has its default.
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
  };
  QuotaChange limit;
  QuotaChange user_limit;
  std::optional<Duration> default_time;  // 0: none
  std::optional<Duration> max_time;
};

struct DeleteQueue {
  std::string name;
};

// Where a node belongs, and what is said of it.
struct ChangeNode {
  NodeId node;
  std::optional<std::string> pool;
  std::map<std::string, std::string> labels;  // set
  std::vector<std::string> labels_removed;
};

struct SetPriority {
  JobId job;
  int priority = 0;
  bool may_raise = true;  // admins of its queue only
};

// Sets nodes aside: those that it names, or as many as `count` says.
struct ReserveNodes {
  Reservation reservation;
  int count = 0;
};

struct EndReservation {
  std::string name;
};

// Interrupts running jobs so that `by`, which waits, gets their places; each goes on at another
// one.
struct MoveJobs {
  JobId by;
  std::vector<NodeId> nodes;  // where `by` fits when all of them have gone
  struct Move {
    JobId job;
    std::vector<RankTarget> destination;  // by rank
    bool operator==(const Move&) const = default;
  };
  std::vector<Move> moves;
  bool operator==(const MoveJobs&) const = default;
};

// Whoever is meant has this role there from now on; none: what was granted is taken away.
struct GrantRole {
  std::string subject;  // a user, or kEverybody
  std::string queue;    // and below; empty: everywhere
  std::optional<Role> role;
};

// Its id, its time and who issues it are filled in.
struct IssueToken {
  AccessToken token;
};

struct RevokeToken {
  TokenId token;
};

// The controller's authority vouches for a node.
struct CertifyNode {
  std::string name;
  NodeCertificate certificate;
  // The fingerprint of the certificate by which the agent asks; empty: it has shown the join token
  std::string shown;
};

// None of the node's certificates counts any longer: its agent is sent away, and joins anew by the
// join token.
struct RevokeNode {
  std::string name;
};

// Changes a budget, or makes one.  Absent: stays, or has its default; 0 of hours or money: no limit
// of that.
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

// Time to look how a budget stands.
struct ReviewBudget {
  BudgetKey key;
};

// The rules change while it runs.  Times of leases stay: supervisors go by them.
struct SetPolicy {
  Policy policy;
  std::string changes;  // in words, for the audit
};

// For the audit: somebody changed something that is not of the state, such as a secret.
struct NoteChange {
  std::string operation;
  std::string target;
  std::string details;
};

// Another time limit for a job that has one.
struct ChangeTimeLimit {
  JobId job;
  Duration time_limit;  // in all; 0: `longer_by` says it
  Duration longer_by;   // than it is now
  bool force = false;   // though others wait for its place
};

// For the audit: somebody asked for what it may not have, so many times.
struct NoteRefusal {
  std::string operation;
  std::string why;
  int times = 1;
};

// Time passes: limits and back-offs that are due.
struct Tick {};

using Command =
    std::variant<StartController, JoinNode, ReportNode, ExpireHeartbeat, DeclareNodeLost,
                 ChangeService, SubmitJob, StopJob, HoldJob, ReleaseJob, PlaceGang, Tick,
                 PreemptJob, SetQueue, DeleteQueue, ChangeNode, SetPriority, ReserveNodes,
                 EndReservation, MoveJobs, ReportGpus, ChangeIncident, GrantRole, IssueToken,
                 RevokeToken, CertifyNode, RevokeNode, NoteRefusal, SetBudget, DeleteBudget,
                 SetPolicy, ChangeTimeLimit, NoteChange, StepWallClock, ReviewBudget>;

// Who asks, and from where.
struct Origin {
  Origin() = default;
  Origin(std::string name, std::string place = "")
      : principal(std::move(name)), from(std::move(place)) {}
  Origin(const char* name) : principal(name) {}

  std::string principal;  // "user:ana", "node:n1", "scheduler", "controller"
  std::string from;       // "unix", "127.0.0.1:40312"; empty: from within
};

struct Envelope {
  Instant at;
  Origin origin;
  std::string request_id;  // empty: not repeatable
  Command command;
};

}  // namespace gp
