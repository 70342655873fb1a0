#include "fakes/nvml/mig_rules.h"

#include <algorithm>

namespace gp {
namespace {

bool Overlap(unsigned a, unsigned a_size, unsigned b, unsigned b_size) {
  return a < b + b_size && b < a + a_size;
}

unsigned CountOf(const GpuState& state, unsigned profile_id) {
  return static_cast<unsigned>(std::ranges::count_if(
      state.instances, [&](const auto& entry) { return entry.second.profile_id == profile_id; }));
}

}  // namespace

std::vector<unsigned> FreeStarts(const GpuState& state, const MigGpuProfile& profile) {
  std::vector<unsigned> free;
  if (CountOf(state, profile.id) >= profile.instances_max) return free;
  for (unsigned start : profile.starts) {
    const bool taken = std::ranges::any_of(state.instances, [&](const auto& entry) {
      return Overlap(start, profile.memory_slices, entry.second.start, entry.second.size);
    });
    if (!taken) free.push_back(start);
  }
  return free;
}

std::vector<unsigned> FreeStarts(const FakeGpuInstance& instance, const MigGpuProfile& of_instance,
                                 const MigComputeProfile& profile) {
  std::vector<unsigned> free;
  for (unsigned i = 0; i < ComputeInstancesMax(profile, of_instance.compute_slices); ++i) {
    const unsigned start = i * profile.stride;
    const bool taken = std::ranges::any_of(instance.compute, [&](const FakeComputeInstance& c) {
      return Overlap(start, profile.slices, c.start, c.size);
    });
    if (!taken) free.push_back(start);
  }
  return free;
}

unsigned GpuInstanceId(const MigTable& table, unsigned start, unsigned size) {
  return table.memory_slices / size - 1 + start / size;
}

unsigned RemainingCapacity(const GpuState& state, const MigTable& table,
                           const MigGpuProfile& profile) {
  GpuState trial;
  trial.instances = state.instances;
  unsigned count = 0;
  for (std::vector<unsigned> free = FreeStarts(trial, profile); !free.empty();
       free = FreeStarts(trial, profile)) {
    const unsigned id = GpuInstanceId(table, free[0], profile.memory_slices);
    trial.instances[id] = {id, profile.id, free[0], profile.memory_slices, {}};
    ++count;
  }
  return count;
}

unsigned NextComputeInstanceId(const FakeGpuInstance& instance) {
  unsigned id = 0;
  while (std::ranges::any_of(instance.compute,
                             [&](const FakeComputeInstance& c) { return c.id == id; })) {
    ++id;
  }
  return id;
}

std::string MigInstanceName(const MigGpuProfile& profile, unsigned compute_slices) {
  if (compute_slices == profile.compute_slices) return profile.name;
  return std::to_string(compute_slices) + "c." + profile.name;
}

}  // namespace gp
