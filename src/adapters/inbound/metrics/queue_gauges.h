#pragma once

// Each queue's pending jobs, held GPUs, guarantee and limit.

#include "adapters/inbound/metrics/families.h"
#include "domain/cluster/state/state.h"

namespace gp {

std::vector<MetricFamily> QueueGauges(const State& state);

}  // namespace gp
