#pragma once

// The current use of GPUs by kind, and the state of budgets.

#include "adapters/inbound/metrics/families.h"
#include "domain/cluster/state/state.h"

namespace gp {

std::vector<MetricFamily> UsageGauges(const State& state, Instant now);

}  // namespace gp
