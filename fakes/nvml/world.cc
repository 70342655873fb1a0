#include "fakes/nvml/world.h"

#include <algorithm>
#include <charconv>

#include "fakes/nvml/commands.h"

namespace gp {
namespace {

const CommandRow* FindRow(const std::string& verb) {
  for (const auto rows : {FaultCommands(), ReadingCommands(), MigCommands()}) {
    for (const CommandRow& row : rows) {
      if (row.verb == verb) return &row;
    }
  }
  return nullptr;
}

bool ParseNumber(const std::string& text, int64_t* value) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), *value);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

// gpu=all and no gpu= at all mean every GPU.
bool IsForAll(const FakeCommand& command) {
  return CommandArguments(command).Text("gpu", "all") == "all";
}

Status CheckKeys(const CommandRow& row, const FakeCommand& command) {
  const std::string verb(row.verb);
  for (std::string_view key : row.needs) {
    if (!command.arguments.contains(std::string(key))) {
      return Fail(InvalidArgument(verb + " needs " + std::string(key) + "="));
    }
  }
  for (const auto& [key, value] : command.arguments) {
    if (key != "gpu" && std::ranges::find(row.needs, key) == row.needs.end() &&
        std::ranges::find(row.allows, key) == row.allows.end()) {
      return Fail(InvalidArgument(verb + " does not know " + key + "="));
    }
  }
  return Ok();
}

}  // namespace

std::string CommandArguments::Text(const std::string& key, const std::string& otherwise) const {
  const auto found = command_.arguments.find(key);
  return found == command_.arguments.end() ? otherwise : found->second;
}

int64_t CommandArguments::Number(const std::string& key, int64_t otherwise) const {
  int64_t value = 0;
  return ParseNumber(Text(key), &value) ? value : otherwise;
}

bool CommandArguments::YesNo(const std::string& key, bool otherwise) const {
  if (!Has(key)) return otherwise;
  const std::string text = Text(key);
  return text == "yes" || text == "1" || text == "true";
}

std::optional<unsigned> CommandArguments::Instance(const std::string& key) const {
  if (!Has(key)) return std::nullopt;
  return static_cast<unsigned>(Number(key, 0));
}

FakeWorld MakeFakeWorld(Machine machine) {
  FakeWorld world;
  world.machine = std::move(machine);
  world.gpus.resize(world.machine.gpus.size());
  return world;
}

std::optional<int> FindGpu(const FakeWorld& world, const std::string& name) {
  const auto& gpus = world.machine.gpus;
  int64_t position = 0;
  if (ParseNumber(name, &position)) {
    const bool is_one = position >= 0 && position < static_cast<int64_t>(gpus.size());
    return is_one ? std::optional(static_cast<int>(position)) : std::nullopt;
  }
  const auto found = std::ranges::find(gpus, name, &MachineGpu::uuid);
  if (name.empty() || found == gpus.end()) return std::nullopt;
  return static_cast<int>(found - gpus.begin());
}

Status CheckCommand(const FakeWorld& world, const FakeCommand& command) {
  const CommandRow* row = FindRow(command.verb);
  if (row == nullptr) return Fail(InvalidArgument("unknown command '" + command.verb + "'"));
  GP_CHECK_OK(CheckKeys(*row, command));
  if (IsForAll(command)) return Ok();
  const std::string text = CommandArguments(command).Text("gpu");
  const std::optional<int> gpu = FindGpu(world, text);
  if (!gpu) {
    return Fail(InvalidArgument("gpu=" + text + ": the machine has GPUs 0 to " +
                                std::to_string(world.gpus.size() - 1) + ", and no such UUID"));
  }
  if (command.verb == "reset" && !world.gpus[static_cast<size_t>(*gpu)].processes.empty()) {
    return Fail(Conflict("GPU " + text + " cannot be reset: processes run on it"));
  }
  return Ok();
}

void ApplyCommand(const FakeCommand& command, FakeWorld* world) {
  const CommandRow* row = FindRow(command.verb);
  if (row == nullptr) return;
  if (!IsForAll(command)) {
    const std::optional<int> gpu = FindGpu(*world, CommandArguments(command).Text("gpu"));
    if (gpu) row->apply(command, *gpu, world);
    return;
  }
  for (int gpu = 0; gpu < static_cast<int>(world->gpus.size()); ++gpu) {
    row->apply(command, gpu, world);
  }
}

int64_t MemoryUsedMib(const GpuState& state) {
  if (state.memory_used_mib) return *state.memory_used_mib;
  int64_t used = 0;
  for (const auto& [pid, process] : state.processes) used += process.memory_mib;
  return used;
}

}  // namespace gp
