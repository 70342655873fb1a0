#pragma once

// Each queue's pending jobs, held GPUs, guarantee, limit, and how soon its jobs start.

#include "adapters/inbound/metrics/families.h"
#include "domain/cluster/state/state.h"

namespace gp {

std::vector<MetricFamily> QueueGauges(const State& state, Instant now);

}  // namespace gp
