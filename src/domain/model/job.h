#pragma once

// A job through its life: the spec, the state machine, the attempts.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "domain/model/ids.h"
#include "domain/model/job_spec.h"
#include "domain/model/lease.h"
#include "domain/model/queue.h"

namespace gp {

enum class JobState {
  kHeld,      // a person keeps it back
  kQueued,    // eligible, waits for its place
  kStarting,  // has its leases; not every rank runs yet (the gang's barrier)
  kRunning,
  kCheckpointing,
  kPreempted,
  kRecovering,  // a fault of the platform took it; the rest of the gang is being ended
  kRetryWait,   // its own failure; waits for its back-off
  kBlocked,     // waits for what other jobs come to
  kCompleted,
  kFailed,
  kCancelled,
  kTimeout,
};

bool CanBecome(JobState from, JobState to);
bool IsTerminal(JobState state);
bool HoldsLeases(JobState state);

// The states of the requirement, as users read them.
enum class ShownJobState {
  kPending,
  kQueued,
  kRunning,
  kPreempted,
  kCompleted,
  kFailed,
  kCancelled
};
ShownJobState Shown(JobState state);

// Why a running job is being stopped.
enum class StopCause {
  kNone,
  kCancel,
  kTimeLimit,
  kRankFailed,
  kFault,
  kDrain,
  kPreempt,
  kHang,
  kUnderUse,
  kBudget
};

struct User {
  std::string name;
  uint32_t uid = 0;
  uint32_t gid = 0;
  bool operator==(const User&) const = default;
};

// An error that the driver reported of a GPU while the job used it.
struct XidNote {
  int attempt = 0;
  int xid = 0;
  NodeId node;
  int gpu = 0;            // position in the node
  bool forgiven = false;  // an end of the attempt that follows is not charged to the job
  Instant at;
};

inline constexpr size_t kXidNotesMax = 16;  // of one job; the newest

// One rank of an attempt that is over, kept for `jobs describe`.
struct RankRecord {
  LeaseId lease;
  NodeId node;
  std::vector<int> gpus;
  LeaseOutcome outcome = {};
  int64_t checkpoints_seen = 0;  // its reports of them, up to this number
  RankUse use = {};              // of one that has ended
  int cores = 0;                 // that it was granted to itself; 0: none
  int64_t memory_mib = 0;        // of the host
};

struct AttemptRecord {
  int number = 0;
  Instant placed_at;
  Instant started_at;  // ns == 0: never
  Instant ended_at;
  std::string placement;  // why here, in words
  std::vector<RankRecord> ranks;
  EndClass end = EndClass::kNone;
};

struct Job {
  JobId id;
  JobId array;                          // of which it is an element (model/array.h); 0: of none
  std::shared_ptr<const JobSpec> spec;  // as it waits, or as it was given its place
  // With all its variants, where it was given one of them
  std::optional<std::shared_ptr<const JobSpec>> asked;
  int variant = 0;  // that it was given last
  User user;
  std::string queue = kDefaultQueue;  // where it stands; resolved at its submit
  std::string pool = kDefaultPool;    // of the queue
  std::string request_id;
  JobState state = JobState::kQueued;
  Instant submitted_at;
  Instant queued_at;    // of this stay in the queue
  Instant eligible_at;  // kRetryWait ends then
  Instant ended_at;
  int attempt = 0;              // of the current or last attempt, from 1
  int retries_used = 0;         // of the job's own
  int faults = 0;               // attempts lost to the platform
  int faults_in_row = 0;        // of them, the last ones that got nowhere
  int preemptions = 0;          // attempts interrupted for other jobs
  int moves = 0;                // attempts interrupted to go on elsewhere
  Instant moved_at;             // the last time; ns == 0: never
  int64_t attained_gpu_ms = 0;  // GPU time of the attempts that are over
  JobId preempted_for;          // while it is being interrupted: who waits for its place
  // While it waits: nodes that are, or were, cleared for it by interrupting others
  std::vector<NodeId> nominated_nodes;
  std::vector<RankTarget> destination;  // while it is being moved: where it goes on, by rank
  JobId moved_for;                      // then: who gets its place
  StopCause stop = StopCause::kNone;
  std::vector<LeaseId> leases;          // live, by rank
  std::vector<AttemptRecord> attempts;  // the last one is the current
  int exit_code = 0;
  std::string note;    // what the platform had to say of how it let the job in; empty: nothing
  std::string reason;  // of the state, in words; empty: nothing to say
  std::vector<XidNote> xids;
  std::vector<Checkpoint> checkpoints;     // the newest last
  std::vector<SurplusCheckpoint> surplus;  // to be removed while it runs; some may be gone already
  bool is_limit_notified = false;          // its attempt: that its time limit is near
  bool is_idle_notified = false;           // its attempt: that its GPUs are idle
  // While it waits: a fault took its attempt, and it comes before others; ns == 0: none did
  Instant recovers_until;
};

// Whether it has a place, and a time limit there.
bool HasEnd(const Job& job);

// When it has left its place at the latest, by its time limit; kNever: it has none.
// REQUIRES: it has been placed.
Instant LatestEnd(const Job& job);

// When its time limit is reached, and when its user is told that this is near.
// REQUIRES: it has been placed, and has one.
Instant LimitReachedAt(const Job& job);
Instant LimitNoticeAt(const Job& job);

// Whether a program of it was ever executed.
bool HasStarted(const Job& job);

// Ended by a failure of its own, or by its time limit.
bool HasFailed(const Job& job);

// Where the platform failed its attempts, or its log says that the node did: its last choice from
// then on.
std::set<NodeId> NodesWithFaults(const Job& job);

// Whether its attempt has been of use until now: it ran for long, or saved something to go on from.
bool GotOn(const Job& job, Instant at);

// Since when its work would have to be done again if it were ended now.
// REQUIRES: it has been placed.
Instant WorkKeptUntil(const Job& job);

// A fault takes its attempt, or has just taken it.
bool IsRecovering(const Job& job);

// Whether the clock of its time limit runs: from its placement on, until it is told to stop.
bool RunsAgainstLimit(const Job& job);

const char* Name(JobState state);
const char* Name(ShownJobState state);
const char* Name(StopCause cause);

}  // namespace gp
