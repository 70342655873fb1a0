#pragma once

// A job through its life: the spec, the state machine, the attempts.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/time.h"
#include "domain/model/ids.h"
#include "domain/model/jobs/job_spec.h"
#include "domain/model/nodes/lease.h"
#include "domain/model/queue.h"

namespace gp {

enum class JobState {
  kHeld,      // an operator or its user holds it
  kQueued,    // eligible; waits to be placed
  kStarting,  // has its leases; not all ranks run yet (the gang's barrier)
  kRunning,
  kCheckpointing,
  kPreempted,
  kRecovering,  // a platform fault ended an attempt; the rest of the gang is being stopped
  kRetryWait,   // failed by itself; waits for its back-off
  kBlocked,     // waits for other jobs (`after`)
  kCompleted,
  kFailed,
  kCancelled,
  kTimeout,
};

bool CanBecome(JobState from, JobState to);
bool IsTerminal(JobState state);
bool HoldsLeases(JobState state);

// The job states that users see.
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
  kBudget,
  kMetricStop,
  kMetricRestart,
  kMetricComplete
};

struct User {
  std::string name;
  uint32_t uid = 0;
  uint32_t gid = 0;
  bool operator==(const User&) const = default;
};
GP_FIELDS(User, v.name, v.uid, v.gid)

// A GPU error that the driver reported while the job used the GPU.
struct XidNote {
  int attempt = 0;
  int xid = 0;
  NodeId node;
  int gpu = 0;            // position in the node
  bool forgiven = false;  // an end that follows is not charged to the job
  Instant at;
};
GP_FIELDS(XidNote, v.attempt, v.xid, v.node, v.gpu, v.forgiven, v.at)

inline constexpr size_t kXidNotesMax = 16;  // of one job; the newest

// One rank of an ended attempt, kept for `jobs describe`.
struct RankRecord {
  LeaseId lease;
  NodeId node;
  std::vector<int> gpus;
  LeaseOutcome outcome = {};
  int64_t checkpoints_seen = 0;  // number of its newest checkpoint report that was handled
  RankUse use = {};              // of an ended rank
  int cores = 0;                 // granted exclusively; 0: none
  int64_t memory_mib = 0;        // host memory
};
GP_FIELDS(RankRecord, v.lease, v.node, v.gpus, v.outcome, v.checkpoints_seen, v.use, v.cores,
          v.memory_mib)

struct AttemptRecord {
  int number = 0;
  Instant placed_at;
  Instant started_at;  // ns == 0: never
  Instant ended_at;
  std::string placement;  // why it was placed here, in words
  std::vector<RankRecord> ranks;
  EndClass end = EndClass::kNone;
  bool leases_ports = false;  // its ranks meet at ports that rank 0's agent leases (jobs/ports.h)
  int first_port = 0;         // of these; 0: they are not leased yet
};
GP_FIELDS(AttemptRecord, v.number, v.placed_at, v.started_at, v.ended_at, v.placement, v.ranks,
          v.end, Since<20>(v.leases_ports), Since<20>(v.first_port))

struct Job {
  JobId id;
  JobId array;                          // that it is an element of (model/array.h); 0: none
  std::shared_ptr<const JobSpec> spec;  // as submitted, or with the variant of its placement
  // With all variants, if it was placed with one of them
  std::optional<std::shared_ptr<const JobSpec>> submitted_spec;
  int variant = 0;  // of its last placement
  User user;
  std::string queue = kDefaultQueue;  // resolved at submit
  std::string pool = kDefaultPool;    // of the queue
  std::string request_id;
  JobState state = JobState::kQueued;
  Instant submitted_at;
  Instant queued_at;    // start of its current stay in the queue
  Instant eligible_at;  // end of kRetryWait
  Instant ended_at;
  int attempt = 0;              // of the current or last attempt, from 1
  int retries_used = 0;         // for its own failures
  int faults = 0;               // attempts lost to platform faults
  int faults_in_row = 0;        // of those, the last ones without progress in between
  int preemptions = 0;          // attempts that were preempted
  int moves = 0;                // attempts that were stopped to resume elsewhere
  Instant moved_at;             // the last time; ns == 0: never
  int64_t attained_gpu_ms = 0;  // GPU time of ended attempts
  JobId preempted_for;          // while it is being preempted: the preemptor
  // While it waits: the nodes that it is, or was, nominated to
  std::vector<NodeId> nominated_nodes;
  std::vector<RankTarget> destination;  // while it is being moved: where each rank resumes
  JobId moved_for;                      // while it is being moved: the job that needs its GPUs
  StopCause stop = StopCause::kNone;
  std::vector<LeaseId> leases;          // live, by rank
  std::vector<AttemptRecord> attempts;  // the last one is the current one
  int exit_code = 0;
  std::string note;    // what the platform remarked at submit; empty: nothing
  std::string reason;  // of the state, in words; empty: none
  std::vector<XidNote> xids;
  std::vector<Checkpoint> checkpoints;  // the newest last
  // to be removed while it runs; some may be removed already
  std::vector<SurplusCheckpoint> surplus;
  bool is_limit_notified = false;  // of this attempt: the time limit is near
  bool is_idle_notified = false;   // of this attempt: its GPUs are idle
  // Until then it is tried first, because a fault interrupted it; ns == 0: no fault did
  Instant recovers_until;
  // "sha256:…" of its image, as its tag named it first: all its ranks and attempts have this one.
  // Empty: not known yet, or the image is a directory or named by its digest
  std::string image_digest;
};
GP_FIELDS(Job, v.id, v.spec, v.user, v.request_id, v.state, v.submitted_at, v.queued_at,
          v.eligible_at, v.ended_at, v.attempt, v.retries_used, v.faults, v.stop, v.leases,
          v.attempts, v.exit_code, v.note, v.reason, v.preemptions, v.attained_gpu_ms,
          v.preempted_for, v.nominated_nodes, v.queue, v.pool, v.moves, v.moved_at, v.destination,
          v.moved_for, v.submitted_spec, v.variant, v.array, v.xids, v.recovers_until,
          v.checkpoints, v.faults_in_row, v.surplus, v.is_limit_notified, v.is_idle_notified,
          Since<20>(v.image_digest))

// The mode in which a job with this request uses a GPU.
GpuMode ModeFor(const GpuRequest& request);

// Whether it is placed with a time limit.
bool HasEnd(const Job& job);

// When it has ended at the latest, by its time limit; kNever: it has none.
// REQUIRES: it is placed.
Instant LatestEnd(const Job& job);

// When it reaches its time limit, and when its user is notified before.
// REQUIRES: it is placed and has a time limit.
Instant LimitReachedAt(const Job& job);
Instant LimitNoticeAt(const Job& job);

// Whether any of its programs was ever executed.
bool HasStarted(const Job& job);

// Whether it ended by its own failure or at its time limit.
bool HasFailed(const Job& job);

// Nodes where the platform failed its attempts, or where its log blames the node: they come last
// from then on.
std::set<NodeId> NodesWithFaults(const Job& job);

// Whether the attempt has been useful so far: it ran for long, or saved a checkpoint.
bool HasMadeProgress(const Job& job, Instant at);

// The work since this instant would be lost if the job ended now.
// REQUIRES: it is placed.
Instant WorkKeptUntil(const Job& job);

// Whether a fault is ending its attempt, or has just ended it.
bool IsRecovering(const Job& job);

// Whether its time limit counts: from its placement until it receives the signal to stop.
bool RunsAgainstLimit(const Job& job);

const char* Name(JobState state);
const char* Name(ShownJobState state);
const char* Name(StopCause cause);
// Whether a rule of on_metric ordered it.
bool IsByMetric(StopCause cause);

}  // namespace gp
