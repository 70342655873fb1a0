#pragma once

// The placement preferences of a pool, in addition to the fixed order of
// docs/reference/placement_score.md: the weight of each kind of cost. All zero: only the fixed
// order decides.

#include <compare>
#include <cstddef>
#include <map>
#include <string>

#include "base/fields.h"

namespace gp {

inline constexpr int kPlacementWeightMax = 1'000;
inline constexpr size_t kPoolsWeighedMax = 1'000;

struct PlacementWeights {
  int numa = 0;
  int nvlink = 0;
  int fragmentation = 0;
  int best_fit = 0;
  int spread = 0;
  int model_fit = 0;
  auto operator<=>(const PlacementWeights&) const = default;
};
GP_FIELDS(PlacementWeights, v.numa, v.nvlink, v.fragmentation, v.best_fit, v.spread, v.model_fit)

// Stands for every pool without weights of its own.
inline constexpr const char* kEveryPool = "*";

using WeightsByPool = std::map<std::string, PlacementWeights>;

PlacementWeights WeightsOf(const WeightsByPool& weights, const std::string& pool);

}  // namespace gp
