#pragma once

// A machine and its state: the machine file plus every command of the journal, applied in order.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fakes/nvml/gpu_state.h"
#include "fakes/nvml/journal.h"
#include "fakes/nvml/machine.h"

namespace gp {

// Calls of this name hang until that time.
struct FakeHang {
  std::string call;
  std::optional<int> gpu;
  int64_t until_ns = 0;
};

struct FakeWorld {
  Machine machine;
  std::vector<GpuState> gpus;     // as many as machine.gpus
  std::vector<FakeEvent> events;  // since the journal began
  std::vector<FakeHang> hangs;
};

FakeWorld MakeFakeWorld(Machine machine);

// The GPU that `gpu=` names, by position in the machine file or by UUID; nullopt: no such GPU.
std::optional<int> FindGpu(const FakeWorld& world, const std::string& name);

// Whether `command` is valid: verb and arguments are known and the world permits it (no reset of a
// GPU in use).
Status CheckCommand(const FakeWorld& world, const FakeCommand& command);

// REQUIRES: CheckCommand says Ok.
void ApplyCommand(const FakeCommand& command, FakeWorld* world);

// Derives readings that no command has set from the rest.
int64_t MemoryUsedMib(const GpuState& state);

}  // namespace gp
