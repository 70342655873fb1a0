#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_set.h"
#include "base/result.h"
#include "base/time.h"
#include "domain/model/jobs/image_reference.h"
#include "domain/model/jobs/metric_rule.h"
#include "ports/outbound/staging_progress.h"

namespace gp {

// A character device that the attempt may open for reading and writing (never mknod).
struct DeviceNumber {
  int major = 0;
  int minor = 0;
  auto operator<=>(const DeviceNumber&) const = default;
};

// The grant of an attempt on a GPU that it shares.
struct GpuPart {
  int gpu = 0;    // position in the node
  int minor = 0;  // of its device
  std::string uuid;
  int64_t memory_mib = 0;
  int percent = 100;  // of its compute
  bool mps = false;   // clients of one MPS server run at the same time; false: time slices
  bool operator==(const GpuPart&) const = default;
};

// The MIG instance that an attempt uses exclusively.
struct MigPart {
  int gpu = 0;              // position in the node
  int profile = 0;          // NVML's GPU instance profile id
  int start = 0;            // its first memory slice
  int slices = 0;           // number of memory slices; 0: the attempt has no instance
  int instance = kNotMade;  // the driver's number of the instance
  static constexpr int kNotMade = -1;
  bool operator==(const MigPart&) const = default;
};

// Whether the two placements have a memory slice in common.
inline bool Overlap(const MigPart& a, const MigPart& b) {
  return a.gpu == b.gpu && a.start < b.start + b.slices && b.start < a.start + a.slices;
}

// A directory of the host that a job in an image sees, with the rights of its user.
struct HostDirectory {
  enum class Absent { kFail, kSkip, kMake };

  std::string path;
  Absent absent = Absent::kFail;  // what happens where the host has none
  std::string at;                 // its path in the image; empty: the same
  bool read_only = false;
  bool is_requested = false;  // by the job: only below LaunchSpec::mount_prefixes
  // A file or directory of the agent, which the job's user need not reach; also without an image,
  // where `at` is in the attempt's own /tmp or is a directory that exists.
  bool is_of_agent = false;
  bool operator==(const HostDirectory&) const = default;
};

// An object, or all objects below a prefix, that the host has before the attempt starts.
struct DataSource {
  std::string url;
  std::vector<std::string> include;  // patterns of names; empty: all
  std::string sha256;                // of a single object; empty: not known
  std::string credentials;           // as the user's secret has them; never written to disk
  std::string at;                    // where the job sees it, read-only
  // It becomes the file or directory `at` of the host itself, as the job's user, unless that has
  // the same content.
  bool restores = false;
  bool operator==(const DataSource&) const = default;
};

// A file or directory to copy when the attempt has ended.
struct ArtifactCopy {
  std::string path;
  std::string url;
  std::string credentials;
  bool operator==(const ArtifactCopy&) const = default;
};

// What of an attempt is copied to stores.
struct CopyOrders {
  std::string checkpoint_url;        // each checkpoint's, without its number; empty: none is copied
  std::string checkpoint_directory;  // others are not copied
  std::string credentials;           // for checkpoint_url
  int64_t decided = 0;  // checkpoints up to this number are reported already, and are not copied
  // Names of the job's copies, from all its attempts, that stay when older ones are removed; empty:
  // none is removed.
  std::vector<std::string> staying;
  std::vector<ArtifactCopy> artifacts;
  bool operator==(const CopyOrders&) const = default;
};

// A condition on what a job reports of a metric.
struct MetricLimit {
  std::string name;
  MetricTest test = MetricTest::kIsNan;
  std::string limit;  // as the job's user wrote the number; empty with kIsNan
  bool operator==(const MetricLimit&) const = default;
};

// One of the images of an OCI image layout or an archive on this host, or of a repository of a
// registry; or a squashfs file.
struct LayeredImage {
  ImageReference::Source source = ImageReference::Source::kLayout;
  std::string path;        // of the layout or file; opened as the job's user
  std::string repository;  // of a registry, which is asked as the job's user
  std::string tag;         // of the image; empty: the layout or archive has only one
  std::string digest;      // "sha256:…"; empty: not fixed yet, see FixImage
  // Without a digest: the attempt says which one the tag names (AttemptStatus::image_digest).
  // False: another rank of the job does.
  bool resolves = false;
  bool operator==(const LayeredImage&) const = default;
};

// As a job names it: "registry.lab/ana/train:v3"; by its digest only if it has no tag.
inline std::string ReferenceOf(const LayeredImage& image) {
  using Source = ImageReference::Source;
  if (image.source == Source::kSquashfs && IsSquashfs(image.path)) return image.path;
  const std::string from = image.source == Source::kRegistry
                               ? image.repository
                               : std::string(SchemeOf(image.source)) + image.path;
  if (!image.tag.empty()) return from + ":" + image.tag;
  return image.digest.empty() ? from : from + "@" + image.digest;
}

// All that a supervisor needs to run an attempt.
struct LaunchSpec {
  std::string key;  // names the attempt on this host: the lease's id; [a-z0-9-], unique for ever
  std::vector<std::string> argv;         // empty and `interactive`: waits for Exec with `as_main`
  std::vector<std::string> environment;  // "NAME=value", complete: nothing is inherited
  // More environment variables; they are never written to disk and are dropped after Start
  std::vector<std::string> secrets;
  std::string working_directory;
  uint32_t uid = 0;
  uint32_t gid = 0;
  std::vector<uint32_t> groups;
  std::string user_name;  // of uid, with its home, for the list of users in an image
  std::string home;
  bool interactive = false;
  // An interactive attempt ends if its main process does not come within this time.
  Duration entry_time_limit = Duration::Minutes(2);

  std::vector<DeviceNumber> devices;  // besides null, zero, full, random, urandom, tty, ptmx, pts
  CpuSet cpus;                        // empty: no restriction
  CpuSet memory_nodes;                // empty: no restriction
  int64_t memory_bytes_max = 0;       // 0: no limit
  int64_t processes_max = 0;          // 0: no limit
  int64_t shm_bytes = 0;              // size of a private /dev/shm; 0: the host's
  bool private_tmp = true;            // an empty /tmp of its own
  // The job sees and signals only its own processes, and has System V IPC of its own
  bool private_processes = true;
  bool private_network = false;  // only a loopback interface of its own.  Needs root
  // Its content is the job's root directory; empty: the host's root.  Opened as the job's user;
  // what the job writes there is gone with the attempt.  Needs root and private processes.
  std::string image_directory;
  // The same of directories of the agent, the topmost layer first; in place of image_directory.
  std::vector<std::string> image_layers;
  // What becomes image_layers once it is unpacked; not for supervisors.
  std::optional<LayeredImage> layered_image;
  std::vector<DataSource> sources;  // fetched before it starts; not for supervisors
  bool stage_only = false;          // it ends when it is staged; not for supervisors
  bool copies = false;              // anything of it is copied (SetCopies)
  bool copies_checkpoints = false;  // its complete checkpoints are reported once they are copied
  // For its registry, as the user's secret has them; never written to disk.
  std::string image_credentials;
  bool has_own_working_directory = true;        // the job names it; false: its image may
  std::vector<HostDirectory> host_directories;  // that the job sees elsewhere, or in its image
  std::vector<std::string> mount_prefixes;      // directories; empty: the job may ask for any
  std::string device_directory = "/dev";        // where the host has the files of `devices`
  // Files of the agent with lists of the GPU driver's files that a job in an image sees.
  std::vector<std::string> driver_lists;

  std::string log_directory;  // receives <rank>.out and <rank>.err (names below)
  std::string log_name;       // "0" -> 0.out, 0.err
  // Per stream; at the limit the oldest half becomes a hole: byte N of the stream stays byte N of
  // the file, and lseek(SEEK_DATA) finds the first byte that remains.  0: no limit.
  int64_t log_bytes_max = 0;

  Duration grace = Duration::Seconds(30);  // between SIGTERM and SIGKILL
  bool stop_on_lease_loss = false;         // false: the job keeps running through any outage
  int64_t lease_deadline_boot_ns = 0;  // CLOCK_BOOTTIME; see Renew. 0: holds until the first Renew
  std::string prolog;                  // executables run as root before and after; empty: none
  std::string epilog;
  Duration hook_time_limit = Duration::Minutes(5);  // for each of the two

  // Path of the named pipe to create for the job's reports (docs/checkpoints.md); empty: none.
  std::string report_pipe;
  Duration hang_after;  // without a report of progress for this time, the job is_hung; 0: never
  // Sent, in place of SIGTERM, to those of its processes that handle it; 0: none
  int checkpoint_signal = 0;
  Duration checkpoint_interval;  // between such signals while the job runs; 0: only to stop it
  std::vector<MetricLimit> metric_limits;  // what is looked for in its reports
  std::vector<std::string> log_patterns;   // RE2; kept for reading the logs at the end

  std::vector<GpuPart> parts;  // of GPUs that it shares; empty: it shares none
  MigPart mig;

  bool HasImage() const { return !image_directory.empty() || !image_layers.empty(); }
};

// A checkpoint that the job has reported, and whether it was found complete.
struct CheckpointReport {
  int64_t number = 0;  // from 1
  int64_t step = 0;
  std::string path;
  int64_t bytes = 0;  // 0: not reported
  Duration took;      // 0: not reported
  bool is_complete = false;
  std::string fault;  // what is missing
  Instant at;
  bool is_scored = false;
  int64_t score = 0;  // billionths
  bool operator==(const CheckpointReport&) const = default;
};

// What a job has reported by its report pipe.
struct AttemptProgress {
  Instant at;  // of the last report; ns == 0: none yet
  int64_t step = 0;
  int64_t steps = 0;  // total; 0: not reported
  bool is_hung = false;
  // The newest ones, in order; each only after its files were checked
  std::vector<CheckpointReport> checkpoints;
  std::string refused;  // the last report that could not be parsed, and why; empty: none
  // Number of the first of LaunchSpec::metric_limits that was met, from 1; 0: none.  And what met
  // it.
  int metric_limit = 0;
  std::string metric_value;  // "train/loss is nan at step 812"
  bool operator==(const AttemptProgress&) const = default;
};

inline constexpr size_t kCheckpointReportsMax = 8;

// A job that lost its lease is killed after this time at the latest, because other jobs wait for
// its devices.
inline constexpr Duration kLeaseGraceMax = Duration::Seconds(2);

enum class AttemptPhase { kStarting, kRunning, kExited };

// Why an attempt ended.
enum class EndCause {
  kExit,            // the program exited: exit_code or signal says how
  kStopped,         // by Stop or Kill
  kLeaseLost,       // the lease ran out
  kOutOfMemory,     // the kernel killed it at memory_bytes_max
  kCouldNotStart,   // never ran, by the job's fault: no such program or working directory …
  kSupervisorLost,  // the supervisor died; remaining processes of the job were killed
  kPlatformFault,   // never ran, not by the job's fault: isolation, log file, prolog …
};

// State of an attempt as its supervisor last reported it.
struct AttemptStatus {
  std::string key;
  AttemptPhase phase = AttemptPhase::kStarting;
  int pid = 0;         // 0 while running: interactive, and waits for its main process
  Instant started_at;  // exec of the job's program, wall clock
  Instant ended_at;
  int64_t started_boot_ns = 0;  // the same on the boot clock; 0: unknown
  int64_t ended_boot_ns = 0;
  int exit_code = 0;
  int signal = 0;  // != 0: ended by this signal
  EndCause cause = EndCause::kExit;
  std::string message;         // for people; empty for a plain exit
  bool is_mps_failed = false;  // its MPS server had failed, or other clients failed with it
  // It was ended because it used more memory of a GPU than granted
  bool is_gpu_memory_used_up = false;
  AttemptProgress progress;
  std::string image_digest;  // while it waits for FixImage: what its image's tag names; else empty
  StagingProgress staging;
  bool is_copied_last = false;  // its program has ended, and what it left is being copied
  std::shared_ptr<const LaunchSpec> launch;  // as it was started; null: unknown
};

// One more process inside a running attempt: same cgroups, user, mounts and environment.
struct ExecSpec {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // added to the attempt's own
  bool pty = false;
  int rows = 24;
  int columns = 80;
  bool as_main = false;  // the process becomes the job's own: its exit ends the attempt
};

// Descriptors owned by the caller.  With a pty, `input` and `output` are the same terminal and
// `errors` is -1.  `exit_status` becomes readable at the end: one int32, exit code or 128 + signal.
struct ExecStreams {
  int input = -1;
  int output = -1;
  int errors = -1;
  int exit_status = -1;
};

// CPU time and memory used by all processes of an attempt; negative: unknown.
struct HostUse {
  int64_t cpu_ms = -1;      // CPU time since its start
  int64_t memory_mib = -1;  // peak
};

// Runs job attempts on this host, also while the agent is down.  Every attempt has a supervisor
// process, which is the parent of the job and holds its lease, logs and exit code.  Through this
// port the agent starts, observes, renews and stops attempts, and finds them again after its own
// restart.  One thread (the agent's) calls it.
class AttemptRunner {
 public:
  virtual ~AttemptRunner() = default;

  // Starts an attempt; its progress shows in Observe.  Errors: kConflict (key already known),
  // kInternal (the supervisor could not be started).
  virtual Status Start(const LaunchSpec& spec) = 0;
  // Extends the lease until this time of CLOCK_BOOTTIME.  Unknown keys are ignored.
  virtual void Renew(const std::string& key, int64_t lease_deadline_boot_ns) = 0;
  // An attempt that waits for it starts with the image of this digest.  Unknown keys, and attempts
  // that have a digest, are ignored.
  virtual void FixImage(const std::string& key, const std::string& digest) {
    static_cast<void>(key), static_cast<void>(digest);
  }
  // Sends SIGTERM to the main process group, and after `grace` SIGKILL to all processes inside.  A
  // later call can shorten the grace.
  virtual void Stop(const std::string& key, Duration grace) = 0;
  // Removes the files and directories at these absolute paths, as the job's user and with its
  // mounts, but only below `directory` and through no link.  Best effort, in the background.  Each
  // call gives the complete list: it replaces that of the call before, and a path that was removed
  // once is not removed again.  Unknown keys are ignored.
  virtual void Discard(const std::string& key, const std::string& directory,
                       const std::vector<std::string>& paths) = 0;
  // What of the attempt is copied; each call replaces the one before.  Unknown keys are ignored.
  virtual void SetCopies(const std::string& key, const CopyOrders& orders) {
    static_cast<void>(key), static_cast<void>(orders);
  }
  // Current use of a running attempt.
  virtual HostUse Used(const std::string& key) { return static_cast<void>(key), HostUse{}; }
  // All attempts known here, sorted by key, including those found after a restart of the agent.
  virtual std::vector<AttemptStatus> Observe() = 0;
  // Drops an ended attempt and everything it held except its logs.  Unknown keys are ignored.
  // Errors: kConflict (still running).
  virtual Status Forget(const std::string& key) = 0;
  // Whether no attempt is left, not even a forgotten one that is still being cleaned up.
  virtual bool IsEmpty() = 0;
  // Starts a process inside a running attempt; blocks until the program runs, for some seconds at
  // most.  Errors: kNotFound (no such attempt), kConflict (not running, or the program cannot be
  // run: the message says why), kDeadlineExceeded.
  virtual Result<ExecStreams> Exec(const std::string& key, const ExecSpec& spec) = 0;
  // Readable when Observe may have changed; owned by the runner.
  virtual int EventDescriptor() const = 0;
};

}  // namespace gp
