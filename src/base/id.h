#pragma once

// Strong integer ids: a JobId cannot be passed where a NodeId is meant.  Ids come from counters in
// the state, never from a clock or a random source, so that a replay gives the same ones.

#include <compare>
#include <cstdint>

namespace gp {

template <typename Tag, typename Rep>
struct Id {
  using Value = Rep;
  Rep value = 0;

  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace gp
