#include "cmd/agent/live_sharing.h"

#include "adapters/outbound/mps/mps_directory.h"
#include "cmd/agent/kernel_xids.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

constexpr char kMpsControl[] = "nvidia-cuda-mps-control";
// On older GPUs an MPS server does not limit a client to its part.
constexpr int kCapabilityMin = 7;

}  // namespace

Result<std::string> FindMpsControl(const AgentConfig& config) {
  if (config.mps_control == "none") return std::string();
  if (!config.mps_control.empty()) {
    const std::string path = AbsolutePath(config.mps_control);
    if (!FindProgram(path).empty()) return path;
    return Fail(NotFound("--mps-control: " + path + " is no program; give its path, or none"));
  }
  return config.simulate.empty() ? FindProgram(kMpsControl) : FindProgram(FakeMpsControlPath());
}

void MarkMps(const DriverInventory& inventory, const std::string& control, NodeFacts& facts) {
  for (size_t i = 0; i < facts.gpus.size() && i < inventory.gpus.size(); ++i) {
    const GpuIdentity& gpu = inventory.gpus[i];
    facts.gpus[i].mps = !control.empty() &&
                        gpu.compute_capability_major.value_or(0) >= kCapabilityMin &&
                        !gpu.mig_enabled;
  }
}

std::unique_ptr<SharingRunner> MakeSharingRunner(const AgentConfig& config,
                                                 const std::string& control, uint64_t incarnation,
                                                 AttemptRunner& runner, GpuWatch& watch,
                                                 Clock& clock) {
  SharingOptions options;
  options.mps_control = control;
  options.incarnation = incarnation;
  const std::string base = MpsBase(config.state_directory);
  options.make_directory = [base](int minor, uint32_t uid, uint32_t gid) {
    return MakeMpsDirectory(base, minor, uid, gid);
  };
  options.remove_directory = [base](int minor, uint32_t uid) {
    RemoveMpsDirectory(base, minor, uid);
  };
  options.log_directory = config.state_directory + "/logs/mps";
  options.memory = {config.gpu_memory_tolerance_mib, config.gpu_memory_readings};
  options.readings = [&watch] { return watch.Latest(); };
  options.attempt_of = [](int pid) {
    const LeaseId lease = LeaseOfProcess(pid);
    return lease.value == 0 ? std::string() : KeyOf(lease);
  };
  return std::make_unique<SharingRunner>(std::move(options), runner, clock);
}

}  // namespace gp
