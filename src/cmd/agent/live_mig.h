#pragma once

// What this machine, or a simulated one, needs so that GPUs in MIG mode give jobs instances.

#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/nvml/nvml_driver.h"
#include "application/agent/mig_runner.h"
#include "cmd/agent/agent_config.h"
#include "cmd/agent/live_gpu_keeper.h"
#include "domain/model/nodes/node.h"

namespace gp {

// Turns MIG mode on as `--mig` requests. A failure is a warning: the GPU stays as it is.
// kInvalidArgument: --mig names no GPU of this node.
Status EnterMigMode(const AgentConfig& config, NvmlDriver& driver,
                    std::vector<std::string>& warnings);

// Reduces each GPU for which `--mig` names a layout to the instances of that layout.
// kInvalidArgument: the layout is not possible.
Status ConfineMig(const AgentConfig& config, const DriverInventory& inventory, NodeFacts& facts);

// The devices of an instance on a simulated node: the kernel's driver is not there to report them.
Status MakeSimulatedCaps(const std::string& state_directory, const NodeFacts& facts,
                         std::vector<std::string>& warnings);

// `gpus`: by their position in the node.
std::unique_ptr<MigInstances> MakeMigInstances(const AgentConfig& config,
                                               const std::vector<AgentGpu>& gpus);

}  // namespace gp
