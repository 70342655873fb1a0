#include "domain/placement/place_gang.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <tuple>

namespace gp {
namespace {

struct Candidate {
  const Node* node;
  NodeChoice choice;
};

// Between nodes: the quality of the place, the blocks it breaks, the fuller node, the lower id.
bool Better(const Candidate& a, const Candidate& b) {
  const auto key = [](const Candidate& c) {
    const GpuScore& s = c.choice.score;
    return std::tuple(s.first, s.second, s.links_descending, s.gpus_opened, s.blocks_lost,
                      std::popcount(FreeGpus(*c.node)), s.share_left, c.node->id);
  };
  return key(a) < key(b);
}

std::string GpuList(const RankPlacement& placement) {
  CpuSet gpus;
  for (const GpuGrant& grant : placement.gpus) gpus.Add(grant.gpu);
  return gpus.ToString();
}

std::string Explain(const std::vector<Candidate>& chosen, size_t nodes_fit) {
  const NodeChoice& worst =
      std::ranges::max_element(chosen, {}, [](const Candidate& c) { return c.choice.locality; })->choice;
  std::string note;
  if (worst.placement.gpus.empty()) {
    note = "no GPUs";
  } else {
    note = Name(worst.locality);
    if (worst.placement.gpus.size() > 1) {
      note += worst.unlinked_pairs == 0 ? ", NVLink x" + std::to_string(worst.links)
                                        : ", PCIe between " + std::to_string(worst.unlinked_pairs) + " pairs";
    }
  }
  if (chosen.size() > 1) note += ", cross node (" + std::to_string(chosen.size()) + " nodes)";
  note += ":";
  for (const Candidate& c : chosen) {
    note += " " + c.node->facts->name;
    if (!c.choice.placement.gpus.empty()) note += "[" + GpuList(c.choice.placement) + "]";
  }
  note += "; best of " + std::to_string(worst.alternatives) + " sets, " + std::to_string(nodes_fit) +
          (nodes_fit == 1 ? " node fits" : " nodes fit");
  if (worst.locality == Locality::kCrossSocket) note += "; warning: crosses sockets";
  return note;
}

}  // namespace

std::string CommonTrait(const JobSpec& spec, const Node& node, const NodeChoice& choice) {
  if (spec.nodes == 1 || choice.placement.gpus.empty()) return "";
  return node.facts->gpus[static_cast<size_t>(choice.placement.gpus.front().gpu)].model;
}

std::optional<PlaceGang> FindGangPlace(const NodeView& nodes, const Job& job) {
  const JobSpec& spec = *job.spec;
  std::map<std::string, std::vector<Candidate>> by_model;
  for (const Node* node : nodes) {
    auto choice = ChooseGpus(*node, spec, job.user.name);
    if (!choice) continue;
    by_model[CommonTrait(spec, *node, *choice)].push_back({node, *std::move(choice)});
  }
  const auto wanted = static_cast<size_t>(spec.nodes);
  std::vector<Candidate>* best = nullptr;
  for (auto& [model, candidates] : by_model) {
    if (candidates.size() < wanted) continue;
    std::ranges::sort(candidates, Better);
    if (best == nullptr || Better(candidates[wanted - 1], (*best)[wanted - 1])) best = &candidates;
  }
  if (best == nullptr) return std::nullopt;
  const size_t nodes_fit = best->size();
  std::vector<Candidate> chosen(best->begin(), best->begin() + spec.nodes);
  // Ranks follow the nodes' order, so that a restart on the same nodes has the same ranks.
  std::ranges::sort(chosen, {}, [](const Candidate& c) { return c.node->id; });
  PlaceGang place;
  place.job = job.id;
  place.note = Explain(chosen, nodes_fit);
  for (Candidate& candidate : chosen) place.ranks.push_back(std::move(candidate.choice.placement));
  return place;
}

}  // namespace gp
