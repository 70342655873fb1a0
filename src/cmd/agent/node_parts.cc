#include "cmd/agent/node_parts.h"

#include <algorithm>
#include <cstdlib>

#include "adapters/outbound/hwloc/hwloc_topology.h"
#include "adapters/outbound/machine_file/machine_file_topology.h"
#include "adapters/outbound/nvml/nvml_driver.h"
#include "adapters/outbound/process/carried_programs.h"
#include "application/agent/launch/launch.h"
#include "application/agent/node_facts.h"
#include "cmd/agent/listening_parent.h"
#include "cmd/agent/live_driver.h"
#include "cmd/agent/live_images.h"
#include "cmd/agent/live_mig.h"
#include "cmd/agent/live_sharing.h"
#include "cmd/agent/other_scheduler.h"
#include "domain/model/nodes/features.h"
#include "infrastructure/agent_identity.h"
#include "infrastructure/host_name.h"
#include "infrastructure/paths.h"
#include "supervisor/output/report_pipe.h"

namespace gp {
namespace {

constexpr std::string_view kUnixScheme = "unix:";

struct Sources {
  std::unique_ptr<HostTopology> host;
  std::unique_ptr<NvmlDriver> driver;
};

Result<Sources> OpenSources(const AgentConfig& config) {
  Sources sources;
  if (config.simulate.empty()) {
    sources.host = HwlocTopology::OpenLive();
    sources.driver = GP_TRY(NvmlDriver::Open(config.nvml.empty() ? kNvmlLibraryName : config.nvml));
    return sources;
  }
  const std::string machine = GP_TRY(MachineFilePath(config.simulate));
  sources.host = GP_TRY(MachineFileTopology::Open(machine));
  // The fake driver reads its machine from the environment; one agent process simulates one node.
  setenv("GPU_PLATFORM_FAKE_NVML_MACHINE", machine.c_str(), 1);
  setenv("GPU_PLATFORM_FAKE_NVML_NODE", std::to_string(config.node_index).c_str(), 1);
  setenv("GPU_PLATFORM_FAKE_NVML_CONTROL", (config.state_directory + "/faults").c_str(), 1);
  const std::string library = config.nvml.empty() ? GP_TRY(FakeDriverPath()) : config.nvml;
  sources.driver = GP_TRY(NvmlDriver::Open(library));
  return sources;
}

// Machines that are simulated in a pod are demonstrations, and what runs in a container ends with
// it. In a Slurm job a machine file may describe what Slurm has allocated, and the agent's jobs
// leave Slurm's control group: only a controller in the job itself may have nodes there.
bool MaySimulateIn(const OtherScheduler& other, const AgentConfig& config) {
  if (config.simulate.empty()) return false;
  if (other.kind == OtherSchedulerKind::kKubernetes) return true;
  return std::ranges::all_of(config.controllers, [](const std::string& address) {
    return address.starts_with(kUnixScheme) &&
           IsParentListening(address.substr(kUnixScheme.size()));
  });
}

}  // namespace

// Jobs of an agent would outlive what another scheduler has allocated to it: two schedulers would
// use the same GPUs.
Status HostPart::Start() {
  const auto other = FindOtherScheduler();
  if (other && !MaySimulateIn(*other, config_)) {
    const bool is_simulated = !config_.simulate.empty();
    return Fail(Conflict("this process runs inside " + other->place +
                         ": two schedulers would hand out the same GPUs; start the agent outside "
                         "of it, on a node that the other one does not manage" +
                         (is_simulated ? " (serve --simulate simulates machines inside it)" : "")));
  }
  GP_CHECK_OK(MakeDirectories(config_.state_directory, 0711));
  return MakeDirectories(config_.state_directory + "/" + kReportDirectory, 0711);
}

void NodePart::Warn(const std::vector<std::string>& warnings) const {
  for (const std::string& warning : warnings) log_.Write(LogLevel::kWarning, warning);
}

Status NodePart::FindFeatures(NodeFacts& facts) const {
  facts.features.insert(kLaunchersFeature);
  facts.features.insert(kExecAttachFeature);
  if (is_simulated() || DriverDraws()) facts.features.insert(kGraphicsFeature);
  if (geteuid() != 0) return Ok();
  const std::string programs = config_.state_directory + "/" + kProgramDirectory;
  GP_CHECK_OK(MakeDirectories(programs, 0700));
  for (const auto& [name, missing] : GP_TRY(TryAllFeatures(programs, config_.state_directory))) {
    const bool is_of_images = name.starts_with("image");
    if (is_of_images && config_.host_processes) continue;
    if (missing.empty()) {
      facts.features.insert(name);
    } else {
      log_.Write(LogLevel::kInfo, "jobs that need \"" + name + "\" cannot run here: " + missing);
    }
  }
  return Ok();
}

Status NodePart::Start() {
  const Sources sources = GP_TRY(OpenSources(config_));
  const HostFacts host = GP_TRY(sources.host->Read());
  std::vector<std::string> as_they_are;
  GP_CHECK_OK(EnterMigMode(config_, *sources.driver, as_they_are));
  const DriverInventory inventory = GP_TRY(sources.driver->Inventory());
  identities_ = inventory.gpus;
  for (const GpuIdentity& gpu : inventory.gpus) {
    const GpuHeatLimits heat{gpu.temperature_slowdown_c, gpu.temperature_shutdown_c};
    places_.push_back({gpu.uuid, gpu.pci_bus_id, heat, gpu.minor});
  }
  name_ = !config_.name.empty() ? config_.name
          : is_simulated()      ? host.hostname + "-" + std::to_string(config_.node_index)
                                : HostName();
  FoundNode found = MakeNodeFacts(name_, is_simulated(), host, inventory);
  GP_CHECK_OK(ConfineMig(config_, inventory, found.facts));
  found.facts.machine =
      is_simulated() ? "simulated-" + std::to_string(config_.node_index) : MachineId();
  Warn(found.warnings);
  Warn(as_they_are);
  mps_control_ = GP_TRY(FindMpsControl(config_));
  MarkMps(inventory, mps_control_, found.facts);
  GP_CHECK_OK(FindFeatures(found.facts));
  facts_ = std::make_shared<const NodeFacts>(std::move(found.facts));
  return Ok();
}

}  // namespace gp
