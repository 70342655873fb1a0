#include <algorithm>
#include <string>
#include <utility>

#include "domain/cluster/check/invariant_parts.h"

namespace gp {
namespace {

// The entries name different GPUs: if all are sound and there are as many as GPUs, each GPU has
// one.
void CheckGpusByUuid(const State& state, Violations& found) {
  for (const auto& [uuid, at] : state.nodes.gpus_by_uuid) {
    const Node* node = state.FindNode(at.node);
    const bool is_there =
        node != nullptr && at.gpu >= 0 && std::cmp_less(at.gpu, node->facts->gpus.size());
    const GpuFacts* gpu = is_there ? &node->facts->gpus[static_cast<size_t>(at.gpu)] : nullptr;
    if (gpu == nullptr || gpu->uuid != uuid || gpu->presence == GpuPresence::kRetired)
      found.push_back({"index", "GPU " + uuid + " is not where the index has it"});
  }
  int64_t gpus = 0;
  for (const Node& node : state.nodes.all)
    gpus += std::ranges::count_if(node.facts->gpus, [](const GpuFacts& gpu) {
      return gpu.presence != GpuPresence::kRetired;
    });
  if (!std::cmp_equal(gpus, state.nodes.gpus_by_uuid.size()))
    found.push_back(
        {"index", "index of GPUs by UUID does not have exactly one entry for each GPU"});
}

void CheckNodesByImage(const State& state, Violations& found) {
  size_t held = 0;
  for (const auto& [node, images] : state.nodes.images) {
    held += images.size();
    for (const uint64_t key : images) {
      const auto holders = state.nodes.by_image.find(key);
      if (holders == state.nodes.by_image.end() || !holders->second.contains(node))
        found.push_back({"index", "an image is not known to be on its node"});
    }
  }
  size_t indexed = 0;
  for (const auto& [key, holders] : state.nodes.by_image) indexed += holders.size();
  if (held != indexed)
    found.push_back({"index", "index of nodes by image has entries that do not belong there"});
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
  CheckNodesByImage(state, found);
}

}  // namespace gp
