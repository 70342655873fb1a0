#pragma once

#include <cstdint>
#include <map>

#include "domain/cluster/state/state.h"
#include "domain/scheduling/node_bits.h"

namespace gp {

// The nodes that last reported to have the layers of a job's image: of its digest once that is
// fixed, else of what its name meant there last. Computed once for each image. The state must not
// change meanwhile. Not thread-safe.
class ImageNodes {
 public:
  explicit ImageNodes(const State& state) : state_(state) {}

  // Empty: there are none, or the image has no layers. Valid as long as this object.
  const NodeBits& For(const Job& job);

 private:
  const State& state_;
  const NodeBits none_;
  std::map<uint64_t, NodeBits> by_image_;
};

}  // namespace gp
