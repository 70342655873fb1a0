#pragma once

// What GPUs are used for now, and how budgets stand.

#include "adapters/inbound/metrics/families.h"
#include "domain/cluster/state.h"

namespace gp {

std::vector<prometheus::MetricFamily> UsageGauges(const State& state, Instant now);

}  // namespace gp
