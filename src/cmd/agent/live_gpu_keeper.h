#pragma once

#include <memory>
#include <string>
#include <vector>

#include "application/agent/gpu_keeper.h"
#include "cmd/agent/agent_config.h"

namespace gp {

struct AgentGpu {
  std::string uuid;
  std::string pci_bus_id;
  GpuHeatLimits heat;
  int minor = 0;
};

// The NVML library that the agent itself has loaded, by name; empty: the host's.
std::string NvmlOf(const AgentConfig& config);

// The lock of a GPU's commands: resets, tests and changes of its MIG instances run one after
// another, also those of an agent that was killed and of the next one.
std::string GpuLockFile(const AgentConfig& config, const std::string& uuid);

// Watches and cares for the GPUs of this machine, or of a simulated one, with all processes for
// that.
class LiveGpuKeeper {
 public:
  virtual ~LiveGpuKeeper() = default;
  virtual GpuKeeper& keeper() = 0;
  virtual GpuWatch& watch() = 0;
  virtual const std::vector<std::string>& warnings() const = 0;  // what is not available
  // Waits until there is a reading of each GPU, at most two seconds.
  virtual void AwaitReadings() = 0;
};

// `gpus`: by their position in the node. The clock outlives it. `incarnation`: of the agent.
// `lease_in`: the lease of a MIG instance of a GPU.
using LeaseInInstance = std::function<LeaseId(int gpu, int gpu_instance)>;
std::unique_ptr<LiveGpuKeeper> MakeGpuKeeper(const AgentConfig& config,
                                             const std::vector<AgentGpu>& gpus,
                                             uint64_t incarnation, LeaseInInstance lease_in,
                                             Clock& clock);

}  // namespace gp
