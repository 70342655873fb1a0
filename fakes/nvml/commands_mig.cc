#include <algorithm>

#include "adapters/outbound/nvml/abi_fields.h"
#include "fakes/nvml/commands.h"

namespace gp {
namespace {

// The library itself writes these commands when a client reconfigures MIG; it checks the rules
// before, under the journal's lock.

unsigned Number(const FakeCommand& command, const char* key) {
  return static_cast<unsigned>(CommandArguments(command).Number(key, 0));
}

void ApplyMode(const FakeCommand& command, int gpu, FakeWorld* world) {
  GpuState& state = State(world, gpu);
  if (world->machine.gpus[static_cast<size_t>(gpu)].mig.empty()) return;
  state.mig_pending = Number(command, "enabled") != 0;
  if (CommandArguments(command).Number("active", 1) == 0) return;  // waits for a reset
  state.mig_enabled = state.mig_pending;
  if (!state.mig_enabled) state.instances.clear();
  world->events.push_back({nvmlEventMigConfigChange, 0, gpu, {}, {}});
}

void ApplyGpuInstance(const FakeCommand& command, int gpu, FakeWorld* world) {
  const unsigned id = Number(command, "id");
  State(world, gpu).instances[id] = {
      id, Number(command, "profile"), Number(command, "start"), Number(command, "size"), {}};
}

void DestroyGpuInstance(const FakeCommand& command, int gpu, FakeWorld* world) {
  State(world, gpu).instances.erase(Number(command, "id"));
}

void ApplyComputeInstance(const FakeCommand& command, int gpu, FakeWorld* world) {
  auto& instances = State(world, gpu).instances;
  const auto found = instances.find(Number(command, "gi"));
  if (found == instances.end()) return;
  auto& compute = found->second.compute;
  compute.push_back({Number(command, "id"), Number(command, "profile"), Number(command, "start"),
                     Number(command, "size")});
  std::ranges::sort(compute, {}, &FakeComputeInstance::id);
}

void DestroyComputeInstance(const FakeCommand& command, int gpu, FakeWorld* world) {
  auto& instances = State(world, gpu).instances;
  const auto found = instances.find(Number(command, "gi"));
  if (found == instances.end()) return;
  std::erase_if(found->second.compute, [&](const FakeComputeInstance& instance) {
    return instance.id == Number(command, "id");
  });
}

const CommandRow kMigRows[] = {
    {"mig-mode", {"enabled"}, {"active"}, ApplyMode},
    {"gi-create", {"id", "profile", "start", "size"}, {}, ApplyGpuInstance},
    {"gi-destroy", {"id"}, {}, DestroyGpuInstance},
    {"ci-create", {"gi", "id", "profile", "start", "size"}, {}, ApplyComputeInstance},
    {"ci-destroy", {"gi", "id"}, {}, DestroyComputeInstance},
};

}  // namespace

std::span<const CommandRow> MigCommands() { return kMigRows; }

}  // namespace gp
