#pragma once

// How many free GPUs the current jobs can and cannot use (docs/defragmentation.md).

#include "adapters/inbound/metrics/families.h"
#include "domain/cluster/state/state.h"

namespace gp {

std::vector<MetricFamily> FragmentationGauges(const State& state);

}  // namespace gp
