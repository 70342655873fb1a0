#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/rng.h"
#include "ports/outbound/attempt_runner.h"
#include "simulation/world/gpu_hardware.h"
#include "simulation/world/host_clock.h"
#include "simulation/world/programs.h"
#include "simulation/world/savings.h"

namespace gp {

// The supervisors of one host and their programs, as the host's agent finds them.  They continue
// while the agent is away, enforce their leases by the host's own clock, and remember how each
// attempt ended.
class HostAttempts : public AttemptRunner, public ProgramHost {
 public:
  // `changed`: called when something changes that an agent would see.
  HostAttempts(size_t host, const GpuHardware& hardware, Timeline& timeline, HostClock& clock,
               Programs& programs, Savings& savings, Rng& rng, std::function<void()> changed);

  Status Start(const LaunchSpec& spec) override;
  void Renew(const std::string& key, int64_t lease_deadline_boot_ns) override;
  void Stop(const std::string& key, Duration grace) override;
  void Discard(const std::string& key, const std::string& directory,
               const std::vector<std::string>& paths) override;
  std::vector<AttemptStatus> Observe() override;
  Status Forget(const std::string& key) override;
  bool IsEmpty() override { return attempts_.empty(); }
  Result<ExecStreams> Exec(const std::string& key, const ExecSpec&) override {
    return Fail(Unsupported(key));
  }
  int EventDescriptor() const override { return -1; }

  void EndProgram(LeaseId lease, const ProgramPlan& plan) override;

  // `raise` is called when the driver reports that a program on these GPUs caused an error.
  void OnProgramXid(std::function<void(int gpu, LeaseId lease, int xid)> raise) {
    raise_ = std::move(raise);
  }
  // The kernel or the driver kills a program, if it runs.
  void KillProgram(LeaseId lease, EndCause cause, int signal);
  void KillSupervisor(LeaseId lease);
  // Everything is gone except the records; `wiped`: those too.
  void PowerOff(bool wiped);
  void FailStartsUntil(Instant until) { starts_fail_until_ = until; }

 private:
  enum class Stage { kPreparing, kRunning, kStopping, kKilling, kOver, kOrphaned };
  struct Attempt {
    LaunchSpec spec;
    AttemptStatus status;
    LeaseId lease;
    Stage stage = Stage::kPreparing;
    int64_t lease_deadline_ns = 0;  // boot time; 0: none
    bool is_lease_lost = false;
    Instant stop_by;
    int64_t step = 0;                    // of its newest checkpoint
    std::vector<std::string> discarded;  // the paths of the last Discard
  };
  Attempt* Find(const std::string& key);
  void Execute(const std::string& key);
  Program ProgramOf(const Attempt& attempt) const;
  void CheckLease(const std::string& key);
  void AwaitLeaseEnd(const Attempt& attempt);
  void AwaitProgress(const Attempt& attempt);
  void AwaitSave(const Attempt& attempt);
  void Save(Attempt& attempt);
  void Stop(Attempt& attempt, Duration grace, EndCause cause);
  void BeginKilling(Attempt& attempt);
  void Finish(Attempt& attempt);
  // Calls `what` later, if the attempt is then still the same.
  void Later(const Attempt& attempt, Duration wait, std::function<void(Attempt&)> what);

  const size_t host_;
  const GpuHardware& hardware_;
  Timeline& timeline_;
  HostClock& clock_;
  Programs& programs_;
  Savings& savings_;
  Rng& rng_;
  const std::function<void()> changed_;
  std::function<void(int, LeaseId, int)> raise_;
  std::map<std::string, Attempt> attempts_;
  Instant starts_fail_until_;
};

}  // namespace gp
