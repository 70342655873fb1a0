#include <string>

#include "domain/cluster/check/invariant_parts.h"

namespace gp {
namespace {

void CheckGpusByUuid(const State& state, Violations& found) {
  size_t gpus = 0;
  for (const Node& node : state.nodes.all) {
    for (size_t i = 0; i < node.facts->gpus.size(); ++i) {
      const GpuFacts& gpu = node.facts->gpus[i];
      if (gpu.presence == GpuPresence::kRetired) continue;
      ++gpus;
      if (!state.nodes.gpus_by_uuid.contains({gpu.uuid, {node.id, static_cast<int>(i)}}))
        found.push_back({"index", "GPU " + gpu.uuid + " is not where the index has it"});
    }
  }
  if (gpus != state.nodes.gpus_by_uuid.size())
    found.push_back({"index", "index of GPUs by UUID has entries that do not belong there"});
}

}  // namespace

void CheckNodeIndexSizes(const State& state, Violations& found) {
  const auto expect = [&](size_t wanted, size_t size, const char* index) {
    if (wanted != size)
      found.push_back(
          {"index", std::string("index of ") + index + " has entries that do not belong there"});
  };
  size_t lost = 0;
  for (const Node& node : state.nodes.all)
    lost += node.condition == NodeCondition::kLost && !node.leases_expired ? 1 : 0;
  expect(lost, state.nodes.losses.size(), "losses");
  expect(state.nodes.all.size(), state.nodes.by_name.size(), "names");
  expect(state.reservations.all.size(), state.reservations.ends.size(), "ends of reservations");
  expect(state.access.tokens.size(), state.access.token_ends.size(), "ends of tokens");
  CheckGpusByUuid(state, found);
}

}  // namespace gp
