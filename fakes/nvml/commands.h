#pragma once

// The commands of a control file, as a table: name, arguments, effect.  Each commands_*.cc adds
// some rows.

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fakes/nvml/world.h"

namespace gp {

// Reads the arguments of one command; keeps the first error.
class CommandArguments {
 public:
  explicit CommandArguments(const FakeCommand& command) : command_(command) {}

  bool Has(const std::string& key) const { return command_.arguments.contains(key); }
  std::string Text(const std::string& key, const std::string& otherwise = "") const;
  int64_t Number(const std::string& key, int64_t otherwise) const;
  bool YesNo(const std::string& key, bool otherwise) const;
  std::optional<unsigned> Instance(const std::string& key) const;

 private:
  const FakeCommand& command_;
};

struct CommandRow {
  std::string_view verb;
  std::vector<std::string_view> needs;   // besides gpu=
  std::vector<std::string_view> allows;  // besides these
  void (*apply)(const FakeCommand& command, int gpu, FakeWorld* world);
};

std::span<const CommandRow> FaultCommands();    // commands_fault.cc
std::span<const CommandRow> ReadingCommands();  // commands_reading.cc
std::span<const CommandRow> MigCommands();      // commands_mig.cc

inline GpuState& State(FakeWorld* world, int gpu) { return world->gpus[static_cast<size_t>(gpu)]; }

}  // namespace gp
