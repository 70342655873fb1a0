#include "tests/support/plain_plan.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "domain/cluster/grants.h"
#include "domain/placement/choose_gpus.h"
#include "domain/placement/place_gang.h"

namespace gp {
namespace {

struct Candidate {
  const Node* node;
  NodeChoice choice;
};

bool Better(const Candidate& a, const Candidate& b) {
  const auto key = [](const Candidate& c) {
    const GpuScore& s = c.choice.score;
    return std::tuple(s.first, s.second, s.links_descending, s.gpus_opened, s.blocks_lost,
                      std::popcount(FreeGpus(*c.node)), s.share_left, c.node->id);
  };
  return key(a) < key(b);
}

std::optional<PlaceGang> FindPlace(const std::vector<Node>& nodes, const Job& job) {
  const auto wanted = static_cast<size_t>(job.spec->nodes);
  std::map<std::string, std::vector<Candidate>> by_trait;
  for (const Node& node : nodes) {
    auto choice = ChooseGpus(node, *job.spec, job.user.name);
    if (choice) by_trait[CommonTrait(*job.spec, node, *choice)].push_back({&node, *std::move(choice)});
  }
  std::vector<Candidate>* best = nullptr;
  for (auto& [trait, candidates] : by_trait) {
    if (candidates.size() < wanted) continue;
    std::ranges::sort(candidates, Better);
    if (best == nullptr || Better(candidates[wanted - 1], (*best)[wanted - 1])) best = &candidates;
  }
  if (best == nullptr) return std::nullopt;
  NodeView chosen;
  for (size_t i = 0; i < wanted; ++i) chosen.push_back((*best)[i].node);
  return PlaceOn(chosen, job, best->size());
}

std::vector<NodeId> EmptiestFor(const std::vector<Node>& nodes, const Job& job) {
  NodeView order;
  for (const Node& node : nodes) order.push_back(&node);
  std::ranges::sort(order, {}, [](const Node* node) { return std::tuple(-std::popcount(FreeGpus(*node)), node->id); });
  std::map<std::string, std::vector<NodeId>> alike;
  for (const Node* node : order) {
    if (node->condition != NodeCondition::kUp || node->draining) continue;
    const auto choice = ChooseGpus(Emptied(*node), *job.spec, job.user.name);
    if (!choice) continue;
    std::vector<NodeId>& found = alike[CommonTrait(*job.spec, *node, *choice)];
    found.push_back(node->id);
    if (static_cast<int>(found.size()) == job.spec->nodes) return found;
  }
  return {};
}

}  // namespace

Plan PlainPlan(const State& state, Instant at) {
  Plan plan;
  std::vector<Node> nodes = state.nodes;  // reserved ones are taken out
  std::vector<QueueLine> hopeless;
  bool reserved = false;
  for (const QueueKey& key : state.queue) {
    const Job& job = *state.FindJob(key.job);
    if (std::ranges::count(hopeless, LineOf(job)) > 0) continue;
    if (auto place = FindPlace(nodes, job)) {
      place->pass = state.last_pass + 1;
      for (const RankPlacement& rank : place->ranks) {
        Lease lease;
        lease.id = {~uint64_t{0}};
        lease.mode = ModeFor(job.spec->gpus);
        lease.gpus = rank.gpus;
        lease.numa = rank.numa;
        HoldGrants(*std::ranges::find(nodes, rank.node, &Node::id), lease, job.user.name);
      }
      plan.placements.push_back(*std::move(place));
      continue;
    }
    hopeless.push_back(LineOf(job));
    if (reserved || at - job.queued_at < state.policy.reserve_after) continue;
    for (const NodeId id : EmptiestFor(nodes, job)) {
      std::erase_if(nodes, [id](const Node& node) { return node.id == id; });
      reserved = true;
    }
  }
  return plan;
}

}  // namespace gp
