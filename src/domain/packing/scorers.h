#pragma once

// How good a bin is for a shape: 0 to 100, more is better.  Whole numbers on purpose: among equals
// the first bin in a fixed order is taken, and coarse steps let that order gather tenants.

#include <optional>
#include <span>
#include <string_view>

#include "domain/packing/bin.h"
#include "domain/packing/fragmentation.h"

namespace gp {

// What a policy wants little of, in thousandths of a GPU times TypicalShapes::total().
using Potential = int64_t (*)(const Bin& bin, const TypicalShapes& typical);

struct ScoreContext {
  const TypicalShapes& typical;
  Potential potential = nullptr;
  int64_t before = 0;  // the potential of the bin as it is now
};

struct Scored {
  int score = 0;
  int gpu = -1;  // for a part of a GPU: which
};

// REQUIRES: Fits(bin, shape).
using Scorer = Scored (*)(const ScoreContext& context, const Bin& bin, const Shape& shape);

struct PackingPolicy {
  std::string_view name;
  Scorer scorer;
  Potential potential;  // null: it looks at none
  bool is_random;       // takes any bin that fits, and any GPU of it
  bool is_scattered;    // wants its bins in ScatteredOrder; the others in the order of the list
};

// docs/reference/packing_policies.md tells each.
std::span<const PackingPolicy> PackingPolicies();
const PackingPolicy* FindPackingPolicy(std::string_view name);

}  // namespace gp
