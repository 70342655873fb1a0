#pragma once

// Finds a GPU by its UUID or a unique prefix of it, by "node/index", or by its PCI bus id.

#include <string>

#include "base/result.h"
#include "domain/cluster/state/state.h"

namespace gp {

struct GpuPlace {
  NodeId node;
  int gpu = 0;
};

// kNotFound: no match.  kInvalidArgument: several match.  Both messages suggest what to write.
Result<GpuPlace> FindGpu(const State& state, const std::string& text);
Result<NodeId> FindNodeByName(const State& state, const std::string& name);

}  // namespace gp
