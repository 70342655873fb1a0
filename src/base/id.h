#pragma once

#include <compare>
#include <cstdint>

namespace gp {

// A strongly typed integer id: a JobId cannot be passed as a NodeId.  Ids come from counters in the
// state, never from a clock or a random source, so that a replay assigns the same ones.
template <typename Tag, typename Rep>
struct Id {
  using Value = Rep;
  Rep value = 0;

  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace gp
