#pragma once

// Which GPU a person means: a UUID or a unique prefix of one, "node/index", or a PCI bus id.

#include <string>

#include "base/result.h"
#include "domain/cluster/state.h"

namespace gp {

struct GpuPlace {
  NodeId node;
  int gpu = 0;
};

// kNotFound, or kInvalidArgument where several match; both name what there is.
Result<GpuPlace> FindGpu(const State& state, const std::string& text);
Result<NodeId> FindNodeByName(const State& state, const std::string& name);

}  // namespace gp
