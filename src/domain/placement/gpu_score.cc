#include "domain/placement/gpu_score.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <vector>

#include "domain/cluster/quotas/grants.h"
#include "domain/placement/weighted_cost.h"

namespace gp {
namespace {

template <typename F>
void ForEach(GpuMask gpus, F visit) {
  for (; gpus != 0; gpus &= gpus - 1) visit(std::countr_zero(gpus));
}

template <typename F>
void ForEachPair(GpuMask gpus, F visit) {
  ForEach(gpus,
          [&](int a) { ForEach(gpus & ~((GpuMask{2} << a) - 1), [&](int b) { visit(a, b); }); });
}

}  // namespace

GpuScorer::GpuScorer(const Node& node, const JobSpec& spec, GpuMask free,
                     const PlacementWeights& weights)
    : node_(node), spec_(spec), free_(free), weights_(weights) {
  const NodeFacts& facts = *node.facts;
  std::vector<int> order(facts.gpus.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const auto place = [&facts](int gpu) {
    const int numa = facts.gpus[static_cast<size_t>(gpu)].numa;
    return std::tuple(facts.numa[static_cast<size_t>(numa)].package, numa, gpu);
  };
  std::ranges::sort(order, {}, place);
  for (size_t i = 0; i < order.size(); ++i) {
    position_[static_cast<size_t>(order[i])] = static_cast<uint8_t>(i);
  }
  blocks_before_ = Blocks(free);
}

BlockCounts GpuScorer::Blocks(GpuMask free) const {
  GpuMask placed = 0;
  ForEach(free, [&](int gpu) { placed |= GpuMask{1} << position_[static_cast<size_t>(gpu)]; });
  BlockCounts counts{};
  // `starts`: positions where a block of the current size starts.
  GpuMask starts = placed;
  for (int power = 0; power <= 6; ++power) {
    counts[static_cast<size_t>(6 - power)] = static_cast<int8_t>(std::popcount(starts));
    if (power == 6) break;
    const int size = 1 << power;
    GpuMask aligned = 0;
    for (int at = 0; at + 2 * size <= 64; at += 2 * size) aligned |= GpuMask{1} << at;
    starts &= (starts >> size) & aligned;
  }
  return counts;
}

Locality GpuScorer::LocalityOf(GpuMask gpus) const {
  const NodeFacts& facts = *node_.facts;
  int numa = -1;
  int package = -1;
  Locality locality = Locality::kSameNuma;
  ForEach(gpus, [&](int gpu) {
    const int this_numa = facts.gpus[static_cast<size_t>(gpu)].numa;
    const int this_package = facts.numa[static_cast<size_t>(this_numa)].package;
    if (package >= 0 && package != this_package) {
      locality = Locality::kCrossSocket;
    } else if (numa >= 0 && numa != this_numa) {
      locality = std::max(locality, Locality::kSameSocket);
    }
    numa = this_numa;
    package = this_package;
  });
  return locality;
}

int GpuScorer::UnlinkedPairs(GpuMask gpus) const {
  int pairs = 0;
  ForEachPair(gpus, [&](int a, int b) { pairs += node_.facts->LinkCount(a, b) == 0 ? 1 : 0; });
  return pairs;
}

int GpuScorer::Links(GpuMask gpus) const {
  int links = 0;
  ForEachPair(gpus, [&](int a, int b) { links += node_.facts->LinkCount(a, b); });
  return links;
}

bool GpuScorer::Allowed(GpuMask gpus) const {
  const TopologyRequest& topology = spec_.placement.topology;
  const bool one_numa = !topology.allow_cross_numa || topology.require == TopologyLevel::kSameNuma;
  if (one_numa && LocalityOf(gpus) != Locality::kSameNuma) return false;
  return topology.require != TopologyLevel::kNvlink || UnlinkedPairs(gpus) == 0;
}

int GpuScorer::MigLoss(int gpu) const {
  const auto at = static_cast<size_t>(gpu);
  const MigTable& table = node_.facts->gpus[at].mig;
  const GpuGrant grant =
      PlacedGrantOf(spec_.resources.gpus, gpu, node_.facts->gpus[at], node_.gpus[at]);
  const MigProfile* profile = table.Find(grant.mig_profile);
  return profile == nullptr || grant.mig_start == kNoMig
             ? 0
             : table.LossAt(*profile, grant.mig_start, node_.gpus[at].mig_slices);
}

GpuScore GpuScorer::Score(GpuMask gpus) const {
  GpuScore score;
  const Locality locality = LocalityOf(gpus);
  const int unlinked_pairs = UnlinkedPairs(gpus);
  score.first = static_cast<int>(locality);
  score.second = unlinked_pairs;
  if (spec_.placement.topology.prefer == TopologyLevel::kNvlink)
    std::swap(score.first, score.second);
  score.links_descending = -Links(gpus);
  if (spec_.resources.gpus.isolation == Isolation::kMig)
    ForEach(gpus, [&](int gpu) { score.mig_lost += MigLoss(gpu); });
  score.gpus_opened =
      spec_.resources.gpus.isolation == Isolation::kExclusive ? 0 : std::popcount(gpus & free_);
  const BlockCounts after = Blocks(free_ & ~gpus);
  for (size_t i = 0; i < after.size(); ++i) {
    score.blocks_lost[i] = static_cast<int8_t>(blocks_before_[i] - after[i]);
  }
  score.weighted = WeightedCost(
      weights_, {node_, spec_, gpus, free_, locality, unlinked_pairs, score.blocks_lost});
  if (spec_.resources.gpus.isolation != Isolation::kExclusive) {
    ForEach(gpus, [&](int gpu) {
      score.share_left += kWholeShare - node_.gpus[static_cast<size_t>(gpu)].share_granted;
    });
  }
  score.gpus = gpus;
  return score;
}

const char* Name(Locality locality) {
  switch (locality) {
    case Locality::kSameNuma: return "same NUMA node";
    case Locality::kSameSocket: return "same socket";
    case Locality::kCrossSocket: return "cross socket";
  }
  return "?";
}

}  // namespace gp
