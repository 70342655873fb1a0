#pragma once

// Runs one job attempt on this host and keeps running it while the agent is away.  Every attempt
// has a supervisor process that is parent of the job and holds its lease, logs and exit code; this
// port is how the agent starts, watches, renews and ends attempts, and finds them again after its
// own restart.  One thread (the agent's) calls it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_set.h"
#include "base/result.h"
#include "base/time.h"

namespace gp {

// A character device that the attempt may open for reading and writing (never mknod).
struct DeviceNumber {
  int major = 0;
  int minor = 0;
  auto operator<=>(const DeviceNumber&) const = default;
};

// What an attempt was granted of a GPU that it shares.
struct GpuPart {
  int gpu = 0;    // position in the node
  int minor = 0;  // of its device
  std::string uuid;
  int64_t memory_mib = 0;
  int percent = 100;  // of its compute
  bool mps = false;   // side by side with others, by an MPS server; otherwise in turns
  bool operator==(const GpuPart&) const = default;
};

// The instance of a GPU that an attempt has to itself.
struct MigPart {
  int gpu = 0;              // position in the node
  int profile = 0;          // NVML's id of the kind of instance
  int start = 0;            // the first of its memory slices
  int slices = 0;           // so many; 0: it has no instance
  int instance = kNotMade;  // the driver's number of it
  static constexpr int kNotMade = -1;
  bool operator==(const MigPart&) const = default;
};

// Whether both stand, or would, on a memory slice.
inline bool Overlap(const MigPart& a, const MigPart& b) {
  return a.gpu == b.gpu && a.start < b.start + b.slices && b.start < a.start + a.slices;
}

struct LaunchSpec {
  std::string key;  // names the attempt on this host: the lease's id; [a-z0-9-], unique for ever
  std::vector<std::string> argv;         // empty and `interactive`: waits for Exec with `as_main`
  std::vector<std::string> environment;  // "NAME=value", complete: nothing is inherited
  // More of the environment, which is written nowhere; gone after Start
  std::vector<std::string> secrets;
  std::string working_directory;
  uint32_t uid = 0;
  uint32_t gid = 0;
  std::vector<uint32_t> groups;
  bool interactive = false;
  // So long an interactive attempt waits for its main process before it gives its devices back.
  Duration entry_time_limit = Duration::Minutes(2);

  std::vector<DeviceNumber> devices;  // besides null, zero, full, random, urandom, tty, ptmx, pts
  CpuSet cpus;                        // empty: no restriction
  CpuSet memory_nodes;                // empty: no restriction
  int64_t memory_bytes_max = 0;       // 0: no limit
  int64_t processes_max = 0;          // 0: no limit
  int64_t shm_bytes = 0;              // size of a private /dev/shm; 0: the host's
  bool private_tmp = true;            // an empty /tmp of its own
  // It sees and signals its own processes alone, and has System V IPC of its own
  bool private_processes = true;

  std::string log_directory;  // receives <rank>.out and <rank>.err (names below)
  std::string log_name;       // "0" -> 0.out, 0.err
  // Per stream; past it the oldest half becomes a hole: byte N of the stream stays byte N of the
  // file, and lseek(SEEK_DATA) finds the first byte kept.  0: no limit.
  int64_t log_bytes_max = 0;

  Duration grace = Duration::Seconds(30);  // between SIGTERM and the kill at Stop
  bool stop_on_lease_loss = false;         // false: runs on through any outage
  int64_t lease_deadline_boot_ns = 0;  // CLOCK_BOOTTIME; see Renew. 0: holds until the first Renew
  std::string prolog;                  // executables run as root before and after; empty: none
  std::string epilog;
  Duration hook_time_limit = Duration::Minutes(5);  // for each of the two

  // A named pipe that is made here for the job's reports (docs/checkpoints.md); empty: none.
  std::string report_pipe;
  Duration hang_after;  // so long without a report of progress it is_hung; 0: never
  // Sent, in place of SIGTERM, to those of its processes that handle it; 0: none
  int checkpoint_signal = 0;
  Duration checkpoint_interval;  // so often it is sent while the job runs; 0: only to stop it
  std::vector<std::string> log_patterns;  // RE2; kept here for whoever reads the logs at the end

  std::vector<GpuPart> parts;  // of GPUs that it shares; empty: it shares none
  MigPart mig;
};

// What the job says that it has written, and what was found of it.
struct CheckpointReport {
  int64_t number = 0;  // from 1
  int64_t step = 0;
  std::string path;
  int64_t bytes = 0;  // 0: it did not say
  Duration took;      // 0: it did not say
  bool is_complete = false;
  std::string fault;  // what was not found
  Instant at;
  bool is_scored = false;
  int64_t score = 0;  // billionths
  bool operator==(const CheckpointReport&) const = default;
};

struct AttemptProgress {
  Instant at;  // of the last report; ns == 0: none yet
  int64_t step = 0;
  int64_t steps = 0;  // of so many; 0: it did not say
  bool is_hung = false;
  // The newest, in order; each only when it was looked at
  std::vector<CheckpointReport> checkpoints;
  std::string refused;  // the last report that could not be read, and why; empty: none
  bool operator==(const AttemptProgress&) const = default;
};

inline constexpr size_t kCheckpointReportsMax = 8;

// A job that lost its lease has ended this long after it, at the latest: others wait for its
// devices.
inline constexpr Duration kLeaseGraceMax = Duration::Seconds(2);

enum class AttemptPhase { kStarting, kRunning, kExited };

// Why an attempt ended other than by its own exit.
enum class EndCause {
  kExit,            // by itself: exit_code or signal says how
  kStopped,         // by Stop or Kill
  kLeaseLost,       // the lease ran out
  kOutOfMemory,     // the kernel killed it at memory_bytes_max
  kCouldNotStart,   // never ran, by its own doing: no such program or working directory …
  kSupervisorLost,  // the supervisor died; what was left of the job was killed
  kPlatformFault,   // never ran, not its own doing: isolation refused, log not opened, prolog …
};

struct AttemptStatus {
  std::string key;
  AttemptPhase phase = AttemptPhase::kStarting;
  int pid = 0;         // 0 while running: interactive, and waits for its main process
  Instant started_at;  // exec of the job's program, wall clock
  Instant ended_at;
  int64_t started_boot_ns = 0;  // the same by the boot clock, which nobody steps; 0: unknown
  int64_t ended_boot_ns = 0;
  int exit_code = 0;
  int signal = 0;  // != 0: ended by this signal
  EndCause cause = EndCause::kExit;
  std::string message;         // for people; empty for a plain exit
  bool is_mps_failed = false;  // its MPS server had failed, or other clients failed with it
  // It took more of a GPU's memory than granted, and was ended for that
  bool is_gpu_memory_used_up = false;
  AttemptProgress progress;
  std::shared_ptr<const LaunchSpec> launch;  // as it was started; null: not known any more
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

// What all processes of an attempt have used; negative: not known.
struct HostUse {
  int64_t cpu_ms = -1;      // time of cores, since its start
  int64_t memory_mib = -1;  // the most at any time
};

class AttemptRunner {
 public:
  virtual ~AttemptRunner() = default;

  // Starts an attempt; its progress shows in Observe.  Errors: kConflict (key already known),
  // kInternal (the supervisor could not be started).
  virtual Status Start(const LaunchSpec& spec) = 0;
  // The lease holds until this instant of CLOCK_BOOTTIME.  Unknown keys are ignored.
  virtual void Renew(const std::string& key, int64_t lease_deadline_boot_ns) = 0;
  // SIGTERM to the main process group, `grace`, then kill of everything inside.  Again with a
  // shorter grace: takes that.
  virtual void Stop(const std::string& key, Duration grace) = 0;
  // Removes what is at these absolute paths, as the job's user and with its mounts: only below
  // `directory`, through no link.  Best effort, in the background.  Each call tells all of them:
  // what an earlier one has removed is left alone, and what is not named any more is not removed
  // any more.  Unknown keys are ignored.
  virtual void Discard(const std::string& key, const std::string& directory,
                       const std::vector<std::string>& paths) = 0;
  // Of a running attempt, now.
  virtual HostUse Used(const std::string& key) { return static_cast<void>(key), HostUse{}; }
  // Every attempt known here, found again after a restart included, by key.
  virtual std::vector<AttemptStatus> Observe() = 0;
  // Drops an ended attempt and all it held but its logs.  An unknown key is fine.
  // Errors: kConflict (still running).
  virtual Status Forget(const std::string& key) = 0;
  // Whether nothing is kept here, not even a forgotten attempt whose remains are still being
  // cleared.
  virtual bool IsEmpty() = 0;
  // Waits until the program runs, at most seconds.  Errors: kNotFound (no such attempt), kConflict
  // (not running, or the program cannot be run: the message says why), kDeadlineExceeded.
  virtual Result<ExecStreams> Exec(const std::string& key, const ExecSpec& spec) = 0;
  // Readable when Observe may have changed; owned by the runner.
  virtual int EventDescriptor() const = 0;
};

}  // namespace gp
