#pragma once

#include <functional>
#include <memory>
#include <string>

#include "application/agent/agent_loop.h"
#include "application/agent/copying_runner.h"
#include "application/agent/gpu_keeper.h"
#include "application/agent/mig_runner.h"
#include "application/agent/staging_runner.h"
#include "simulation/world/host_attempts.h"
#include "simulation/world/ledger_watch.h"
#include "simulation/world/network.h"
#include "simulation/world/ports/virtual_data.h"
#include "simulation/world/ports/virtual_gpu_ports.h"
#include "simulation/world/ports/virtual_images.h"
#include "simulation/world/ports/virtual_mig.h"
#include "simulation/world/ports/virtual_port_blocks.h"

namespace gp {

// One machine of the cluster: its hardware, its supervisors, and its agent, which is the production
// agent loop and GPU keeper over virtual ports.
class AgentHost {
 public:
  AgentHost(size_t index, const HostPlan& plan, Timeline& timeline, Network& network,
            Programs& programs, Savings& savings, LedgerWatch& watch, Findings& findings, Rng& rng);

  void PowerOn();
  void PowerOff(bool wiped);
  void StartAgent();  // if there is power and no agent runs
  void KillAgent();
  void SleepUntil(Instant until) { asleep_until_ = until; }
  void Wake();  // something has happened that the agent must handle
  bool has_power() const { return has_power_; }
  bool has_agent() const { return agent_ != nullptr; }
  bool is_awake() const { return timeline_.now() >= asleep_until_; }

  // A card has an error, which also affects the programs there.
  void RaiseXid(int card, int xid, LeaseId lease);
  void LoseGpu(int card);
  // The driver no longer lists the card, and the agent ends.  False: there is no such card, or it
  // is the last one.
  bool UnlistGpu(int card);
  void BlindGpu(int card, Duration lasts);
  void HeatGpu(int card, Warmth warmth, Duration lasts);
  // What a technician repairs with the machine open.
  void Repair(int card);

  const std::string& name() const { return plan_.facts->name; }
  GpuHardware& hardware() { return hardware_; }
  HostAttempts& attempts() { return attempts_; }
  HostClock& clock() { return clock_; }

 private:
  // One process of the agent.
  struct Agent {
    VirtualLink link;
    VirtualGpuWatch watch;
    VirtualGpuCare care;
    std::unique_ptr<VirtualMig> mig;  // null: no GPU is divided
    std::unique_ptr<MigRunner> runner;
    std::unique_ptr<VirtualImages> images;  // null: no job has an image
    std::unique_ptr<VirtualData> data;
    std::unique_ptr<StagingRunner> staging;
    std::unique_ptr<CopyingRunner> copying;
    std::unique_ptr<GpuKeeper> keeper;
    std::unique_ptr<VirtualPortBlocks> port_blocks;
    std::unique_ptr<AgentLoop> loop;
  };
  class NoLogs : public LogReader {
    Result<LogSlice> Read(const std::string&, int64_t, int64_t) override { return LogSlice{}; }
    Result<int64_t> OffsetAt(const std::string&, Instant) override { return 0; }
  };
  VirtualGpuCare::Surroundings CareSurroundings();
  GpuKeeperOptions KeeperOptions();
  AgentOptions LoopOptions();
  // The runners around the supervisors that this host's agent has.
  AttemptRunner& MakeRunners();
  bool CanFail(int card) const {
    return has_power_ && hardware_.IsListed(card) && !hardware_.At(card).is_lost;
  }
  void HitPrograms(int card);
  bool IsByMps(LeaseId lease) const;
  void TurnAt(Instant at);
  void Turn();

  const size_t index_;
  const HostPlan& plan_;
  Timeline& timeline_;
  Network& network_;
  Programs& programs_;
  Savings& savings_;
  LedgerWatch& watch_;
  Findings& findings_;
  Rng& rng_;
  HostClock clock_;
  GpuHardware hardware_;
  HostAttempts attempts_;
  MigHardware instances_;
  NoLogs logs_;
  // The contents of its state directory.
  uint64_t incarnation_ = 0;
  ControllerEpoch followed_;
  bool is_fresh_ = true;
  bool has_power_ = false;
  Instant asleep_until_;
  Instant turn_at_;
  std::unique_ptr<Agent> agent_;
};

}  // namespace gp
