#pragma once

#include <cstdint>

namespace gp {

// The start of a controller: the epoch of its journal's lineage.  Of two controllers of one
// lineage, the one with the higher epoch leads.
struct ControllerEpoch {
  uint64_t lineage = 0;  // 0: none known
  uint64_t epoch = 0;
  bool operator==(const ControllerEpoch&) const = default;
};

}  // namespace gp
