#include "domain/model/nodes/placement_weights.h"

namespace gp {

PlacementWeights WeightsOf(const WeightsByPool& weights, const std::string& pool) {
  const auto own = weights.find(pool);
  if (own != weights.end()) return own->second;
  const auto every = weights.find(kEveryPool);
  return every == weights.end() ? PlacementWeights{} : every->second;
}

}  // namespace gp
