#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "application/agent/memory_guard.h"
#include "application/agent/mps_daemon.h"
#include "application/agent/wrapping_runner.h"
#include "ports/outbound/clock.h"
#include "ports/outbound/gpu_watch.h"

namespace gp {

// Paths and functions that a SharingRunner is started with.
struct SharingOptions {
  // NVIDIA's control program; empty: there is none, and attempts that need it are refused
  std::string mps_control;
  int gpu_major = 195;       // of the GPUs' devices
  uint64_t incarnation = 1;  // of the agent: names of daemons are never used again
  // Makes an empty private directory for a user's daemon on a GPU; returns its path.
  std::function<Result<std::string>(int minor, uint32_t uid, uint32_t gid)> make_directory;
  std::function<void(int minor, uint32_t uid)> remove_directory;
  std::string log_directory;  // of daemons
  MemoryGuardOptions memory;
  // By position; empty: GPU memory is not enforced
  std::function<std::vector<GpuReading>()> readings;
  // The key of the attempt that a process belongs to; returns empty if there is none
  std::function<std::string(int pid)> attempt_of;
};

// Grants of the attempt on shared GPUs; empty: it shares none, or its launch is unknown.
const std::vector<GpuPart>& PartsOf(const AttemptStatus& status);

// Whether this is the key of a daemon rather than of a lease's attempt.
bool IsMpsDaemon(const std::string& key);

// Directory of all daemons, and of this user's daemon on this GPU; daemon and clients get the
// latter.
std::string MpsBase(const std::string& state_directory);
std::string MpsDirectory(const std::string& state_directory, int minor, uint32_t uid);

// Wraps an AttemptRunner for attempts that share GPUs.  A client of MPS starts after its daemon and
// is ended if that fails; an attempt that uses more GPU memory than granted is ended; no attempt
// starts on a GPU where another user's daemon still runs.  Other attempts pass through.  One thread
// (the agent's) calls it.
class SharingRunner : public WrappingRunner {
 public:
  // `runner` and `clock` outlive it.
  SharingRunner(SharingOptions options, AttemptRunner& runner, Clock& clock);
  ~SharingRunner() override;

  Status Start(const LaunchSpec& spec) override;
  void Stop(const std::string& key, Duration grace) override;
  std::vector<AttemptStatus> Observe() override;
  Status Forget(const std::string& key) override;

 private:
  struct Doom {  // why an attempt is being ended
    EndCause cause;
    std::string message;
  };
  struct Failure {
    int minor = 0;
    int64_t at_ns = 0;  // when it was seen
    bool has_neighbours = false;
    bool is_of_server = false;  // its server had failed, or others failed with it
  };
  using Statuses = std::map<std::string, AttemptStatus>;

  Statuses Look();
  void Adopt(const Statuses& statuses);
  void StepDaemons(const Statuses& statuses);
  bool IsClient(const AttemptStatus& status, int minor) const;
  std::optional<MpsLimits> WantedOn(int minor, uint32_t uid, const Statuses& statuses) const;
  void LoseClients(int minor, const std::string& failure, const Statuses& statuses);
  bool StartWaiting();  // whether any was started
  bool MayStart(const LaunchSpec& spec);
  Status StartDaemon(const LaunchSpec& client);
  void DoomAttempt(const std::string& key, Doom doom);
  void WatchMemory(const Statuses& statuses);
  void ReadMemory(int gpu, const GpuHealth& health, const Statuses& statuses);
  AttemptStatus Judge(AttemptStatus status);
  bool IsHeld(const AttemptStatus& status);
  bool MayBeOfAnother(const Failure& failure) const;
  void ArmTimer();
  void SetTimer(int64_t at_ns);

  const SharingOptions options_;
  Clock& clock_;
  MemoryGuard guard_;
  // By the GPU's minor number: at most one per GPU
  std::map<int, std::unique_ptr<MpsDaemon>> daemons_;
  std::map<std::string, Doom> doomed_;
  std::map<std::string, Failure> failures_;  // of clients of MPS
  std::set<std::string> held_;               // those whose end is not reported yet
  std::map<int, int> clients_;               // of MPS, by the GPU's minor number
  // By GPU: time of its newest reading that was checked
  std::map<int, int64_t> read_at_ns_;
  uint64_t daemons_started_ = 0;
  int timer_fd_;
};

}  // namespace gp
