#include "domain/placement/weighted_cost.h"

#include <algorithm>
#include <bit>

namespace gp {
namespace {

int64_t Numa(const ScoredSet& set) { return static_cast<int64_t>(set.locality); }

int64_t Nvlink(const ScoredSet& set) { return set.unlinked_pairs; }

// Free GPUs outside whole blocks of 2, 4, 8 …, after minus before. A shared job gains nothing by
// opening a GPU that stands alone.
int64_t Fragmentation(const ScoredSet& set) {
  const int opened = std::popcount(set.gpus & set.free);
  const size_t sizes = set.blocks_lost.size();
  int64_t stranded = 0;
  for (size_t power = 1; power < sizes && (size_t{1} << power) <= set.node.gpus.size(); ++power) {
    stranded += (int64_t{1} << power) * set.blocks_lost[sizes - 1 - power] - opened;
  }
  return set.spec.resources.gpus.isolation == Isolation::kExclusive
             ? stranded
             : std::max<int64_t>(stranded, 0);
}

int64_t BestFit(const ScoredSet& set) { return std::popcount(set.free); }

int64_t Spread(const ScoredSet& set) {
  return std::ranges::count_if(set.node.gpus, [](const Gpu& gpu) { return !gpu.leases.empty(); });
}

// GiB of GPU memory beyond the requested minimum.
int64_t ModelFit(const ScoredSet& set) {
  const int64_t asked =
      std::max(set.spec.resources.gpus.memory_mib_min, set.spec.resources.gpus.memory_mib);
  int64_t beyond_mib = 0;
  for (GpuMask rest = set.gpus; rest != 0; rest &= rest - 1) {
    beyond_mib +=
        set.node.facts->gpus[static_cast<size_t>(std::countr_zero(rest))].memory_mib - asked;
  }
  return beyond_mib / 1024;
}

constexpr PlacementCost kCosts[] = {
    {"numa", &PlacementWeights::numa, Numa},
    {"nvlink", &PlacementWeights::nvlink, Nvlink},
    {"fragmentation", &PlacementWeights::fragmentation, Fragmentation},
    {"best_fit", &PlacementWeights::best_fit, BestFit},
    {"spread", &PlacementWeights::spread, Spread},
    {"model_fit", &PlacementWeights::model_fit, ModelFit},
};

}  // namespace

std::span<const PlacementCost> PlacementCosts() { return kCosts; }

int64_t WeightedCost(const PlacementWeights& weights, const ScoredSet& set) {
  int64_t sum = 0;
  for (const PlacementCost& one : kCosts) {
    if (weights.*one.weight != 0) sum += weights.*one.weight * one.cost(set);
  }
  return sum;
}

}  // namespace gp
