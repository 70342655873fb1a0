#include "experiments/topology/peer_policy.h"

#include <algorithm>
#include <bit>

#include "domain/cluster/quotas/grants.h"

namespace gp {
namespace {

class PeerPolicy : public TopologyPolicy {
 public:
  PeerPolicy(const std::vector<Node>& nodes, PeerPick pick, NodeChoiceOrder order, uint64_t seed)
      : nodes_(nodes), pick_(pick), order_(order), rng_(seed) {}

  std::optional<std::vector<RankPlacement>> Place(const Job& job) override {
    const HostAsk ask{job.spec->resources.gpus.count, job.spec->resources.cpus};
    const auto wanted = static_cast<size_t>(job.spec->resources.nodes);
    std::vector<const Node*> fit;
    for (const Node& node : nodes_) {
      if (order_ == NodeChoiceOrder::kLowest && fit.size() == wanted) break;
      if (HasRoom(node, ask)) fit.push_back(&node);
    }
    if (fit.size() < wanted) return std::nullopt;
    std::vector<RankPlacement> ranks;
    for (size_t i = 0; i < wanted; ++i) {
      if (order_ == NodeChoiceOrder::kRandom)
        std::swap(fit[i], fit[i + rng_.Below(fit.size() - i)]);
      ranks.push_back(PlaceRank(*fit[i], job, ask));
    }
    std::ranges::sort(ranks, {}, &RankPlacement::node);
    return ranks;
  }

 private:
  RankPlacement PlaceRank(const Node& node, const Job& job, const HostAsk& ask) {
    const HostPick pick = pick_(node, ask, rng_);
    RankPlacement rank;
    rank.node = node.id;
    for (GpuMask rest = pick.gpus; rest != 0; rest &= rest - 1) {
      const int gpu = std::countr_zero(rest);
      rank.gpus.push_back(
          GrantOf(job.spec->resources.gpus, gpu, node.facts->gpus[static_cast<size_t>(gpu)]));
    }
    for (size_t numa = 0; numa < pick.cores.size(); ++numa) {
      if (!pick.cores[numa].Empty())
        rank.numa.push_back({static_cast<int>(numa), pick.cores[numa], 0});
    }
    return rank;
  }

  const std::vector<Node>& nodes_;
  const PeerPick pick_;
  const NodeChoiceOrder order_;
  Rng rng_;
};

}  // namespace

std::unique_ptr<TopologyPolicy> MakePeerPolicy(const std::vector<Node>& nodes, PeerPick pick,
                                               NodeChoiceOrder order, uint64_t seed) {
  return std::make_unique<PeerPolicy>(nodes, pick, order, seed);
}

}  // namespace gp
