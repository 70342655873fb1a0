#pragma once

// What a user requests. The job file, the command line and the API all produce this; omitted fields
// have the defaults given here. FindProblems alone decides what is legal.

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"
#include "base/result.h"
#include "base/time.h"
#include "domain/model/ids.h"
#include "domain/model/jobs/checkpoint.h"
#include "domain/model/jobs/data.h"
#include "domain/model/jobs/end_class.h"
#include "domain/model/jobs/launcher.h"
#include "domain/model/jobs/metric_rule.h"
#include "domain/model/jobs/mount.h"
#include "domain/model/jobs/network_access.h"

namespace gp {

// How a part of a GPU is isolated from its neighbors.
enum class Isolation {
  kExclusive,  // whole GPUs only
  kTimeslice,  // shared with the same user's jobs; memory is accounted, not enforced
  kMps,        // shared with the same user's jobs, concurrently, by NVIDIA's MPS; one GPU per node
  kMig,        // a hardware instance of its own; one GPU per node
};

enum class TopologyLevel { kNone, kSameNuma, kNvlink, kSameNode };

struct GpuRequest {
  int count = 1;                    // per node; 0: a job without GPUs
  std::vector<std::string> models;  // any of these (matches inside the model's name); empty: any
  int share_thousandths = 1000;     // of each GPU's compute; 1000: the whole GPU
  int64_t memory_mib = 0;           // to reserve of each GPU; 0: the same share as of the compute
  int64_t memory_mib_min = 0;       // the GPU itself must have at least this much; 0: any
  Isolation isolation = Isolation::kExclusive;

  auto operator<=>(const GpuRequest&) const = default;
};
GP_FIELDS(GpuRequest, v.count, v.models, v.share_thousandths, v.memory_mib, v.memory_mib_min,
          v.isolation)

struct TopologyRequest {
  TopologyLevel require = TopologyLevel::kNone;
  TopologyLevel prefer = TopologyLevel::kSameNuma;
  bool allow_cross_numa = true;
  int network_levels = 0;  // number of network levels that all nodes must have in common

  auto operator<=>(const TopologyRequest&) const = default;
};
GP_FIELDS(TopologyRequest, v.require, v.prefer, v.allow_cross_numa, v.network_levels)

enum class LeaseLoss {
  kDefault,  // stop for jobs with several nodes, continue for others
  kStop,
  kContinue,
};

struct RetryPolicy {
  int retries_max = 3;  // of the job's own failures, if on_failure; the platform's do not count
  Duration backoff_min = Duration::Seconds(10);
  Duration backoff_max = Duration::Minutes(5);
  bool on_failure = false;  // retry when the program itself fails
  bool operator==(const RetryPolicy&) const = default;
};
GP_FIELDS(RetryPolicy, v.retries_max, v.backoff_min, v.backoff_max, v.on_failure)

// What must have happened to another job before this one is queued.
enum class AfterKind { kOk, kEnded, kStarted, kFailed };

struct Dependency {
  JobId job;
  AfterKind kind = AfterKind::kOk;
  auto operator<=>(const Dependency&) const = default;
};
GP_FIELDS(Dependency, v.job, v.kind)

// An alternative to the job's own fields of these names.
struct Alternative {
  int nodes = 1;
  int nodes_min = 0;
  GpuRequest gpus;
  int cpus = 0;
  int64_t memory_bytes = 0;
  auto operator<=>(const Alternative&) const = default;
};
GP_FIELDS(Alternative, v.nodes, v.nodes_min, v.gpus, v.cpus, v.memory_bytes)

// Many jobs of one spec that differ by an index.
struct ArrayRequest {
  int count = 0;         // 0: a single job, not an array
  int max_parallel = 0;  // elements that run at once; 0: any number
  bool operator==(const ArrayRequest&) const = default;
};
GP_FIELDS(ArrayRequest, v.count, v.max_parallel)

// The receivers to notify about the job, in addition to those that are notified about all jobs.
// Jobs may name these receivers of the site.
struct NotifyRequest {
  std::vector<std::string> to;  // names of receivers
  // Kinds of events (docs/how-to/notifications.md); empty: its end
  std::vector<std::string> on;
  bool operator==(const NotifyRequest&) const = default;
};
GP_FIELDS(NotifyRequest, v.to, v.on)

// What each rank runs, and what it is given.
struct JobProgram {
  std::vector<std::string> command;  // argv; a `run:` script becomes {"/bin/sh", "-c", script}
  // Empty: that of an image of layers, else the user's home, or / if there is none
  std::string working_directory;
  std::string image;              // its root directory (image_reference.h); empty: the node's own
  std::string image_credentials;  // secret for the image's registry; empty: none
  std::vector<Mount> mounts;      // more directories of its nodes that it sees in the image
  NetworkAccess network = NetworkAccess::kHost;
  // It draws on its GPUs, by their render nodes and, in an image, the driver's graphics libraries
  bool graphics = false;
  Launcher launcher = Launcher::kNone;
  std::vector<StagedData> stage;    // what each node has before it starts
  std::vector<Artifact> artifacts;  // what each node copies when it has ended
  bool stage_only = false;          // it is complete once each node has staged; no command
  std::map<std::string, std::string> environment;
  // Names of secrets; the controller sets an environment variable for each
  std::vector<std::string> secrets;
  // It may not use the user's own secrets: it was submitted with a token for one queue
  bool shared_secrets_only = false;
  bool interactive = false;

  bool operator==(const JobProgram&) const = default;
};

// What the job asks for; an alternative of `any_of` replaces all but `shm_bytes`.
struct JobResources {
  int nodes = 1;      // a gang: all or none
  int nodes_min = 0;  // it may start on fewer nodes, down to this number; 0: it may not
  GpuRequest gpus;
  int cpus = 0;              // cores per node; 0: the GPUs' fair part of the node's cores
  int64_t memory_bytes = 0;  // host memory per node; 0: the GPUs' fair part of the node's memory
  int64_t shm_bytes = 0;     // /dev/shm per node; 0: as much as the host memory of the job
  // If its own fields fit nowhere, the first of these that fits
  std::vector<Alternative> any_of;

  bool operator==(const JobResources&) const = default;
};

// Which nodes it may have, and how they and its GPUs are connected.
struct JobPlacement {
  TopologyRequest topology;
  std::map<std::string, std::string> node_labels;  // only nodes with all of these
  std::string reservation;  // advance reservation that it runs in; empty: none

  bool operator==(const JobPlacement&) const = default;
};

// When it may start, for how long it may run, and what may interrupt it.
struct JobPolicy {
  // Path; empty: the queue with the project's name, or "default" if there is none
  std::string queue;
  int priority = 500;             // 0–1000; low 250, medium 500, high 750
  std::vector<Dependency> after;  // all of them
  ArrayRequest array;
  bool wait_for_nodes = false;  // queue it even if no known node could ever hold it
  Duration time_limit;          // 0: none
  Duration grace = Duration::Seconds(30);
  // May be preempted; it saves its work when it receives the signal to stop
  bool preemptible = false;
  // May be stopped to resume elsewhere; it then saves its work
  bool movable = false;

  bool operator==(const JobPolicy&) const = default;
};

// What keeps its work, and what happens after a failure.
struct JobRecovery {
  RetryPolicy retry;
  CheckpointRequest checkpoint;
  // Without a progress report for this time it hangs and is restarted; 0: never
  Duration hang_after;
  std::vector<LogRule> on_log;        // what lines of its output mean for a failure
  std::vector<MetricRule> on_metric;  // what its metrics mean for the running attempt
  LeaseLoss on_lease_loss = LeaseLoss::kDefault;

  bool operator==(const JobRecovery&) const = default;
};

// A job as its user requests it. What only describes it is beside the groups.
struct JobSpec {
  std::string name;
  std::string project = "default";
  std::map<std::string, std::string> labels;
  JobProgram program;
  JobResources resources;
  JobPlacement placement;
  JobPolicy policy;
  JobRecovery recovery;
  NotifyRequest notify;
  std::string file;  // file that it was submitted from, for information; empty: none

  bool operator==(const JobSpec&) const = default;
};
GP_FIELDS(JobSpec, v.name, v.project, v.policy.queue, v.resources.nodes, v.resources.gpus,
          v.resources.cpus, v.resources.memory_bytes, v.resources.shm_bytes, v.placement.topology,
          v.policy.priority, v.policy.time_limit, v.policy.grace, v.recovery.on_lease_loss,
          v.recovery.retry, v.program.environment, v.labels, v.program.working_directory,
          v.program.command, v.program.interactive, v.recovery.checkpoint, v.policy.preemptible,
          v.placement.node_labels, v.placement.reservation, v.policy.after, v.policy.movable,
          v.resources.nodes_min, v.resources.any_of, v.policy.array, v.recovery.hang_after,
          v.recovery.on_log, v.notify, v.program.secrets, v.program.shared_secrets_only,
          Since<17>(v.policy.wait_for_nodes), Since<17>(v.file), Since<20>(v.program.image),
          Since<20>(v.program.mounts), Since<20>(v.program.network),
          Since<20>(v.program.image_credentials), Since<20>(v.program.launcher),
          Since<20>(v.recovery.on_metric), Since<20>(v.program.stage),
          Since<20>(v.program.artifacts), Since<20>(v.program.graphics),
          Since<20>(v.program.stage_only))

// All secrets that it needs: those in its environment, and those of its image's registry and of the
// stores of its data.
std::vector<std::string> SecretsOf(const JobSpec& spec);
// Those that its nodes need until it has ended, to copy its checkpoints and artifacts.
std::vector<std::string> SecretsOfCopies(const JobSpec& spec);
// The key of the job file that names the secret: "stage", "checkpoint.credentials".
std::string KeyThatNames(const std::string& secret, const JobSpec& spec);

// The plain values of a job: the group, the name there and in its message, and for a number with
// one range its lowest and highest value.  A message has durations in milliseconds, as NAME_ms. Its
// conversion (adapters/wire/job_spec.cc) and the check of the range (FindProblems) follow from the
// row.
#define GP_JOB_VALUES(VALUE)                          \
  VALUE(program, working_directory)                   \
  VALUE(program, image)                               \
  VALUE(program, image_credentials)                   \
  VALUE(program, interactive)                         \
  VALUE(program, graphics)                            \
  VALUE(program, stage_only)                          \
  VALUE(resources, nodes)                             \
  VALUE(resources, nodes_min)                         \
  VALUE(resources, cpus)                              \
  VALUE(resources, memory_bytes)                      \
  VALUE(resources, shm_bytes)                         \
  VALUE(placement, reservation)                       \
  VALUE(policy, queue)                                \
  VALUE(policy, priority, kPriorityMin, kPriorityMax) \
  VALUE(policy, wait_for_nodes)                       \
  VALUE(policy, preemptible)                          \
  VALUE(policy, movable)
#define GP_JOB_DURATIONS(DURATION) \
  DURATION(policy, time_limit)     \
  DURATION(policy, grace)          \
  DURATION(recovery, hang_after)

// Limits on everything that comes from outside.
inline constexpr int kGpusPerNodeMax = 64;
inline constexpr int kNodesPerJobMax = 4096;
inline constexpr int kCpusPerNodeMax = 4096;
inline constexpr int kPriorityMin = 0;
inline constexpr int kPriorityMax = 1000;
inline constexpr int kRetriesMax = 1000;
inline constexpr int kShareMax = 1000;
inline constexpr int64_t kMemoryBytesMax = int64_t{1} << 50;
inline constexpr int64_t kGpuMemoryMibMax = int64_t{1} << 24;
inline constexpr Duration kTimeLimitMax = Duration::Minutes(60 * 24 * 3650);
inline constexpr Duration kGraceMax = Duration::Minutes(60 * 24);
inline constexpr size_t kNameLengthMax = 128;
inline constexpr size_t kLabelValueLengthMax = 256;
inline constexpr size_t kPathLengthMax = 4095;
inline constexpr size_t kModelsMax = 16;
inline constexpr int kNetworkLevelsMax = 8;
inline constexpr size_t kAlternativesMax = 16;
inline constexpr size_t kDependenciesMax = 64;
inline constexpr int kArrayMax = 10'000;
inline constexpr size_t kArgumentBytesMax = (128 << 10) - 1;  // execve's limit for one string
inline constexpr size_t kCommandBytesMax = 1 << 20;
inline constexpr size_t kEnvironmentBytesMax = 1 << 18;
inline constexpr size_t kMapEntriesMax = 1024;

inline constexpr size_t kNotifiedMax = 16;
inline constexpr const char* kNotifyWords[] = {"started",     "ended", "failed",
                                               "interrupted", "idle",  "time_limit"};
inline constexpr size_t kSecretsPerJobMax = 64;
inline constexpr size_t kMountsMax = 64;

// The longest time from placement to the end of the job: its time limit, and the time to stop it
// and to receive the report. kForever: no time limit.
inline constexpr Duration kForever{INT64_MAX};
inline constexpr Duration kEndMargin = Duration::Seconds(10);
Duration LongestStay(const JobSpec& spec);

// Whether it asks, or would do with, more than one node.
bool MayHaveSeveralNodes(const JobSpec& spec);

// Whether it saves its work when it receives the signal to stop.
bool KeepsWork(const JobSpec& spec);

// When it has ended at the latest if it is placed now.
inline constexpr Instant kNever{INT64_MAX};
Instant EndOfStay(Instant placed_at, const JobSpec& spec);

// Whether a rule of this kind matched the output.
bool Matches(const LogClues& clues, const JobSpec& spec, LogAction action);

struct SpecProblem {
  enum class Kind { kRange, kText, kContradiction };

  Kind kind = Kind::kRange;
  std::string field;    // as named in the job file: "resources.gpus.share", "env.PATH"
  std::string message;  // what is wrong, and the fix
};

// All problems of the spec, in the order of its fields; empty: the job may be submitted.
std::vector<SpecProblem> FindProblems(const JobSpec& spec);

// The first of them as kInvalidArgument: "resources.gpus.share: …".
Status ValidateJobSpec(const JobSpec& spec);

}  // namespace gp
