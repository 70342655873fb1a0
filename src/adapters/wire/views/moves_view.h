#pragma once

// Fragmentation and moves, as messages.

#include <set>
#include <vector>

#include "domain/defragmenting/find_moves.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// Fills in the fragmentation of all pools and queues, and these plans.
void MovesView(const State& state, Instant now, const std::vector<MovePlan>& plans,
               v1::MovePlans* message);

}  // namespace gp
