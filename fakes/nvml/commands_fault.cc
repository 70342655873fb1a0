#include <algorithm>
#include <array>

#include "adapters/outbound/nvml/abi_fields.h"
#include "fakes/nvml/commands.h"

namespace gp {
namespace {

// The driver's recovery action after an XID, if NVIDIA's catalogue names one.
unsigned ActionAfter(int64_t xid) {
  constexpr std::array kNeedReset = {46,  48,  62,  64,  95,  109, 110, 119,
                                     120, 136, 140, 143, 155, 156, 158};
  if (xid == 79) return NVML_GPU_RECOVERY_ACTION_NODE_REBOOT;
  if (std::ranges::find(kNeedReset, xid) != kNeedReset.end()) {
    return NVML_GPU_RECOVERY_ACTION_GPU_RESET;
  }
  return NVML_GPU_RECOVERY_ACTION_NONE;
}

void SetAction(unsigned action, int gpu, FakeWorld* world) {
  GpuState& state = State(world, gpu);
  if (state.recovery_action == action) return;
  state.recovery_action = action;
  world->events.push_back({nvmlEventTypeGpuRecoveryAction, action, gpu, {}, {}});
}

unsigned ActionNamed(const std::string& name) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "reset", "reboot", "drain-p2p",
                                                      "drain-reset"};
  const auto found = std::ranges::find(kNames, name);
  return found == kNames.end() ? 0 : static_cast<unsigned>(found - kNames.begin());
}

void ApplyXid(const FakeCommand& command, int gpu, FakeWorld* world) {
  const CommandArguments arguments(command);
  const int64_t code = arguments.Number("code", 0);
  world->events.push_back({nvmlEventTypeXidCriticalError, static_cast<uint64_t>(code), gpu,
                           arguments.Instance("gi"), arguments.Instance("ci")});
  if (code == 79) State(world, gpu).lost = true;
  const unsigned advice =
      arguments.Has("action") ? ActionNamed(arguments.Text("action")) : ActionAfter(code);
  if (advice != NVML_GPU_RECOVERY_ACTION_NONE) SetAction(advice, gpu, world);
}

void ApplyEcc(const FakeCommand& command, int gpu, FakeWorld* world) {
  const CommandArguments arguments(command);
  const auto corrected = static_cast<uint64_t>(arguments.Number("corrected", 0));
  const auto uncorrected = static_cast<uint64_t>(arguments.Number("uncorrected", 0));
  GpuState& state = State(world, gpu);
  for (FakeEcc* ecc : {&state.ecc_volatile, &state.ecc_aggregate}) {
    ecc->corrected += corrected;
    ecc->uncorrected += uncorrected;
  }
  if (corrected > 0) {
    world->events.push_back({nvmlEventTypeSingleBitEccError, corrected, gpu, {}, {}});
  }
  if (uncorrected > 0) {
    world->events.push_back({nvmlEventTypeDoubleBitEccError, uncorrected, gpu, {}, {}});
  }
}

void ApplyRemap(const FakeCommand& command, int gpu, FakeWorld* world) {
  const CommandArguments arguments(command);
  GpuState& state = State(world, gpu);
  state.remapped_corrected += static_cast<unsigned>(arguments.Number("corrected", 0));
  state.remapped_uncorrected += static_cast<unsigned>(arguments.Number("uncorrected", 0));
  state.remap_pending = arguments.YesNo("pending", state.remap_pending);
  state.remap_failed = arguments.YesNo("failed", state.remap_failed);
}

void ApplyLink(const FakeCommand& command, int gpu, FakeWorld* world) {
  const CommandArguments arguments(command);
  const auto link = static_cast<unsigned>(arguments.Number("link", 0));
  if (arguments.Text("state") == "up") {
    State(world, gpu).links_down.erase(link);
  } else {
    State(world, gpu).links_down.insert(link);
  }
}

void ApplyLost(const FakeCommand& command, int gpu, FakeWorld* world) {
  GpuState& state = State(world, gpu);
  state.lost = true;
  state.unlisted = CommandArguments(command).YesNo("renumber", state.unlisted);
}

void ApplyRecovery(const FakeCommand& command, int gpu, FakeWorld* world) {
  SetAction(ActionNamed(CommandArguments(command).Text("action")), gpu, world);
}

// A reset clears all faults except a GPU off the bus and failed row remaps.
void ForgetFaults(int gpu, FakeWorld* world) {
  GpuState& state = State(world, gpu);
  state.ecc_volatile = {};
  state.remap_pending = false;
  state.links_down.clear();
  state.throttle = nvmlClocksEventReasonGpuIdle;
  state.temperature.reset();
  state.utilization = state.memory_utilization = 0;
  state.mig_enabled = state.mig_pending;
  if (!state.mig_enabled) state.instances.clear();
  SetAction(NVML_GPU_RECOVERY_ACTION_NONE, gpu, world);
}

void ApplyReset(const FakeCommand& command, int gpu, FakeWorld* world) {
  const CommandArguments arguments(command);
  GpuState& state = State(world, gpu);
  if (!state.processes.empty()) return;
  state.reset_until_ns = command.time_ns + arguments.Number("seconds", 0) * 1'000'000'000;
  if (arguments.Text("outcome", "ok") == "ok" && !state.lost) ForgetFaults(gpu, world);
}

void ApplyReboot(const FakeCommand&, int gpu, FakeWorld* world) {
  GpuState& state = State(world, gpu);
  state.lost = state.unlisted = false;
  state.processes.clear();
  state.memory_used_mib.reset();
  state.instances.clear();  // instances do not outlive the driver
  ForgetFaults(gpu, world);
}

void ApplyHang(const FakeCommand& command, int gpu, FakeWorld* world) {
  const CommandArguments arguments(command);
  world->hangs.push_back({arguments.Text("call"), gpu,
                          command.time_ns + arguments.Number("seconds", 1) * 1'000'000'000});
}

const CommandRow kFaultRows[] = {
    {"xid", {"code"}, {"pid", "name", "gi", "ci", "action", "text"}, ApplyXid},
    {"ecc", {}, {"corrected", "uncorrected"}, ApplyEcc},
    {"remap", {}, {"corrected", "uncorrected", "pending", "failed"}, ApplyRemap},
    {"link", {"link", "state"}, {}, ApplyLink},
    {"lost", {}, {"renumber"}, ApplyLost},
    {"recovery", {"action"}, {}, ApplyRecovery},
    {"reset", {}, {"seconds", "outcome"}, ApplyReset},
    {"reboot", {}, {}, ApplyReboot},
    {"hang", {"call", "seconds"}, {}, ApplyHang},
};

}  // namespace

std::span<const CommandRow> FaultCommands() { return kFaultRows; }

}  // namespace gp
