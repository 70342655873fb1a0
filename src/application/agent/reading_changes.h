#pragma once

#include <vector>

#include "ports/outbound/gpu_watch.h"

namespace gp {

// Whether readings of a node's GPUs differ so much that the controller should get them: a value by
// more than about 5 % of what it can be, or any count, error or process.
bool HaveChanged(const std::vector<GpuReading>& sent, const std::vector<GpuReading>& now);

}  // namespace gp
