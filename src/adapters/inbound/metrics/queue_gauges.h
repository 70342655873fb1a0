#pragma once

// What queues have waiting, hold, and may hold.

#include "adapters/inbound/metrics/families.h"
#include "domain/cluster/state.h"

namespace gp {

std::vector<prometheus::MetricFamily> QueueGauges(const State& state);

}  // namespace gp
