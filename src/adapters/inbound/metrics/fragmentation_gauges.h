#pragma once

// How much of what is free is of use to the jobs that are here (docs/defragmentation.md).

#include "adapters/inbound/metrics/families.h"
#include "domain/cluster/state.h"

namespace gp {

std::vector<prometheus::MetricFamily> FragmentationGauges(const State& state);

}  // namespace gp
