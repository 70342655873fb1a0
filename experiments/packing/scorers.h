#pragma once

// The quality of a bin for a shape: 0 to 100, more is better. Scores are coarse integers on
// purpose: the first of equal bins wins, so a fixed order collects tenants.

#include <optional>
#include <span>
#include <string_view>

#include "experiments/packing/bin.h"
#include "experiments/packing/fragmentation.h"

namespace gp {

// What a policy minimizes, in thousandths of a GPU times TypicalShapes::total().
using Potential = int64_t (*)(const Bin& bin, const TypicalShapes& typical);

struct ScoreContext {
  const TypicalShapes& typical;
  Potential potential = nullptr;
  int64_t before = 0;  // the potential of the bin now
};

struct Scored {
  int score = 0;
  int gpu = -1;  // for a part of a GPU: its number
};

// REQUIRES: Fits(bin, shape).
using Scorer = Scored (*)(const ScoreContext& context, const Bin& bin, const Shape& shape);

struct PackingPolicy {
  std::string_view name;
  Scorer scorer;
  Potential potential;  // null: the policy uses none
  bool is_random;       // takes any bin that fits, and any GPU of it
  bool is_scattered;    // needs its bins in ScatteredOrder; other policies in the order of the list
};

// docs/reference/packing_policies.md describes each policy.
std::span<const PackingPolicy> PackingPolicies();
const PackingPolicy* FindPackingPolicy(std::string_view name);

}  // namespace gp
