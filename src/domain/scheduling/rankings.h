#pragma once

// The rankings of all job shapes, each with the placement weights of its pool.

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "domain/model/jobs/job_shape.h"
#include "domain/model/nodes/placement_weights.h"
#include "domain/scheduling/shape_ranking.h"

namespace gp {

// Creates the ranking of a shape on first use. Not thread-safe.
class Rankings {
 public:
  Rankings() = default;
  explicit Rankings(WeightsByPool weights) : weights_(std::move(weights)) {}

  ShapeRanking& Of(const JobShape& shape) {
    const auto known = by_shape_.find(shape);
    return known != by_shape_.end()
               ? known->second
               : by_shape_.try_emplace(shape, WeightsFor(shape.pool)).first->second;
  }
  PlacementWeights WeightsFor(const std::string& pool) const { return WeightsOf(weights_, pool); }
  // Drops all rankings if the weights have changed.
  void Follow(const WeightsByPool& weights) {
    if (weights == weights_) return;
    weights_ = weights;
    Clear();
  }
  size_t size() const { return by_shape_.size(); }
  void Clear() { by_shape_.clear(); }

 private:
  WeightsByPool weights_;
  std::map<JobShape, ShapeRanking> by_shape_;
};

}  // namespace gp
