#include "domain/placement/place_gang.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/assert.h"
#include "domain/placement/network.h"
#include "domain/placement/placement_warning.h"

namespace gp {
namespace {

struct Candidate {
  const Node* node;
  NodeChoice choice;
};

// " in row2/rack7"
std::string InNetwork(const std::vector<Candidate>& chosen) {
  std::string_view common = NetworkOf(*chosen.front().node);
  for (const Candidate& one : chosen) common = CommonPart(common, NetworkOf(*one.node));
  return common.empty() ? "" : " in " + std::string(common);
}

std::string Explain(const std::vector<Candidate>& chosen, size_t nodes_fit) {
  const NodeChoice& worst = std::ranges::max_element(chosen, {}, [](const Candidate& c) {
                              return c.choice.locality;
                            })->choice;
  std::string note;
  if (worst.placement.gpus.empty()) {
    note = "no GPUs";
  } else {
    note = Name(worst.locality);
    if (worst.placement.gpus.size() > 1) {
      note += worst.unlinked_pairs == 0
                  ? ", NVLink x" + std::to_string(worst.links)
                  : ", PCIe between " + std::to_string(worst.unlinked_pairs) + " pairs";
    }
  }
  if (chosen.size() > 1)
    note += ", cross node (" + std::to_string(chosen.size()) + " nodes" + InNetwork(chosen) + ")";
  note += ":";
  for (const Candidate& c : chosen) {
    note += " " + ToText(*c.node, MaskOf(c.choice.placement));
  }
  note += "; best of " + std::to_string(worst.alternatives) + " sets, " +
          std::to_string(nodes_fit) + (nodes_fit == 1 ? " node fits" : " nodes fit");
  if (worst.score.weighted != 0)
    note += "; by the pool's weights " + std::to_string(worst.score.weighted);
  if (worst.locality == Locality::kSameSocket) note += WarningText("crosses NUMA nodes");
  if (worst.locality == Locality::kCrossSocket) note += WarningText("crosses sockets");
  return note;
}

}  // namespace

std::string ToText(const Node& node, GpuMask gpus) {
  CpuSet list;
  for (GpuMask rest = gpus; rest != 0; rest &= rest - 1) list.Add(std::countr_zero(rest));
  return list.Empty() ? node.facts->name : node.facts->name + "[" + list.ToString() + "]";
}

GpuMask MaskOf(const RankPlacement& rank) {
  GpuMask gpus = 0;
  for (const GpuGrant& grant : rank.gpus) gpus |= GpuMask{1} << grant.gpu;
  return gpus;
}

std::string CommonTrait(const JobSpec& spec, const Node& node, const NodeChoice& choice) {
  if (spec.resources.nodes == 1 || choice.placement.gpus.empty()) return "";
  std::string trait =
      node.facts->gpus[static_cast<size_t>(choice.placement.gpus.front().gpu)].model;
  if (spec.placement.topology.network_levels > 0)
    trait += "\n" + std::string(Outer(NetworkOf(node), spec.placement.topology.network_levels));
  return trait;
}

PlaceGang PlaceOn(NodeList chosen, const Job& job, size_t nodes_fit,
                  const PlacementWeights& weights) {
  // Ranks follow the order of nodes, so that a restart on the same nodes gives the same ranks.
  std::ranges::sort(chosen, {}, [](const Node* node) { return node->id; });
  std::vector<Candidate> candidates;
  for (const Node* node : chosen) {
    auto choice = ChooseGpus(*node, job, weights);
    GP_ASSERT(choice.has_value(), "a rank is placed where it fits");
    candidates.push_back({node, *std::move(choice)});
  }
  PlaceGang place;
  place.job = job.id;
  place.note = Explain(candidates, nodes_fit);
  for (Candidate& candidate : candidates)
    place.ranks.push_back(std::move(candidate.choice.placement));
  return place;
}

}  // namespace gp
