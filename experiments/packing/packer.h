#pragma once

// Chooses bins by a policy. Keeps scores for each shape and updates them only for bins that changed
// since the shape was last used.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "experiments/packing/scorers.h"

namespace gp {

// Holds its own copy of the bins and places workloads on them. Not thread-safe.
class Packer {
 public:
  // Among equal scores the first of `bins` wins: their order is part of the policy.
  Packer(const PackingPolicy& policy, std::vector<Bin> bins, TypicalShapes typical);

  // Replaces the typical shapes; all scores are computed again.
  void Learn(TypicalShapes typical);

  struct Choice {
    size_t bin = 0;
    int gpu = -1;
  };
  // nullopt: the shape fits nowhere now.
  std::optional<Choice> Choose(const Shape& shape);
  // Every bin in which the shape fits now, in order: for policies without scores.
  std::vector<size_t> FitBins(const Shape& shape) const;
  void Place(const Shape& shape, const Choice& choice);

  const std::vector<Bin>& bins() const { return bins_; }

 private:
  struct Row {
    std::vector<int8_t> scores;  // by bin; kMisfit if it does not fit
    std::vector<int8_t> gpus;
    size_t seen = 0;  // how much of changes_ is applied
  };
  void Score(const Shape& shape, Row& row, size_t bin);
  Row& UpToDate(const Shape& shape);

  const PackingPolicy& policy_;
  std::vector<Bin> bins_;
  TypicalShapes typical_;
  std::vector<int64_t> potential_;  // by bin
  std::vector<uint32_t> changes_;
  std::map<Shape, Row> rows_;
};

}  // namespace gp
