#include <utility>

#include "adapters/outbound/nvml/abi_fields.h"
#include "base/text.h"
#include "fakes/nvml/commands.h"

namespace gp {
namespace {

constexpr std::pair<std::string_view, uint64_t> kThrottleReasons[] = {
    {"idle", nvmlClocksEventReasonGpuIdle},
    {"applications-clocks", nvmlClocksEventReasonApplicationsClocksSetting},
    {"sw-power-cap", nvmlClocksEventReasonSwPowerCap},
    {"hw-slowdown", nvmlClocksThrottleReasonHwSlowdown},
    {"sync-boost", nvmlClocksEventReasonSyncBoost},
    {"sw-thermal", nvmlClocksEventReasonSwThermalSlowdown},
    {"hw-thermal", nvmlClocksThrottleReasonHwThermalSlowdown},
    {"hw-power-brake", nvmlClocksThrottleReasonHwPowerBrakeSlowdown},
};

void ApplyTemperature(const FakeCommand& command, int gpu, FakeWorld* world) {
  State(world, gpu).temperature = static_cast<int>(CommandArguments(command).Number("celsius", 0));
}

void ApplyPower(const FakeCommand& command, int gpu, FakeWorld* world) {
  State(world, gpu).power_watts = static_cast<int>(CommandArguments(command).Number("watts", 0));
}

void ApplyClock(const FakeCommand& command, int gpu, FakeWorld* world) {
  State(world, gpu).sm_clock_mhz = static_cast<int>(CommandArguments(command).Number("sm", 0));
}

void ApplyUtilization(const FakeCommand& command, int gpu, FakeWorld* world) {
  const CommandArguments arguments(command);
  GpuState& state = State(world, gpu);
  state.utilization = static_cast<int>(arguments.Number("percent", 0));
  state.memory_utilization = static_cast<int>(arguments.Number("memory_percent", 0));
  if (state.utilization > 0) state.throttle &= ~nvmlClocksEventReasonGpuIdle;
}

void ApplyMemory(const FakeCommand& command, int gpu, FakeWorld* world) {
  State(world, gpu).memory_used_mib = CommandArguments(command).Number("used_mib", 0);
}

void ApplyThrottle(const FakeCommand& command, int gpu, FakeWorld* world) {
  uint64_t reasons = 0;
  for (const std::string& name : Split(CommandArguments(command).Text("reasons"), ',')) {
    for (const auto& [known, bit] : kThrottleReasons) {
      if (name == known) reasons |= bit;
    }
  }
  State(world, gpu).throttle = reasons;
}

void ApplyReplays(const FakeCommand& command, int gpu, FakeWorld* world) {
  State(world, gpu).pcie_replays +=
      static_cast<uint64_t>(CommandArguments(command).Number("count", 1));
}

void ApplyProcess(const FakeCommand& command, int gpu, FakeWorld* world) {
  const CommandArguments arguments(command);
  FakeProcess process;
  process.pid = static_cast<unsigned>(arguments.Number("pid", 0));
  process.memory_mib = arguments.Number("memory_mib", 0);
  process.name = arguments.Text("name", "python3");
  process.gpu_instance = arguments.Instance("gi");
  process.compute_instance = arguments.Instance("ci");
  State(world, gpu).processes[process.pid] = process;
}

void ApplyProcessEnd(const FakeCommand& command, int gpu, FakeWorld* world) {
  const CommandArguments arguments(command);
  auto& processes = State(world, gpu).processes;
  if (arguments.Text("pid") == "all") {
    processes.clear();
  } else {
    processes.erase(static_cast<unsigned>(arguments.Number("pid", 0)));
  }
}

void ApplyComputeMode(const FakeCommand& command, int gpu, FakeWorld* world) {
  State(world, gpu).compute_mode =
      static_cast<unsigned>(CommandArguments(command).Number("mode", 0));
}

const CommandRow kReadingRows[] = {
    {"temperature", {"celsius"}, {}, ApplyTemperature},
    {"power", {"watts"}, {}, ApplyPower},
    {"clock", {"sm"}, {}, ApplyClock},
    {"utilization", {"percent"}, {"memory_percent"}, ApplyUtilization},
    {"memory", {"used_mib"}, {}, ApplyMemory},
    {"throttle", {"reasons"}, {}, ApplyThrottle},
    {"replays", {}, {"count"}, ApplyReplays},
    {"process", {"pid"}, {"memory_mib", "name", "gi", "ci"}, ApplyProcess},
    {"process-end", {"pid"}, {}, ApplyProcessEnd},
    {"compute-mode", {"mode"}, {}, ApplyComputeMode},
};

}  // namespace

std::span<const CommandRow> ReadingCommands() { return kReadingRows; }

}  // namespace gp
