#pragma once

// Why a job does not run now, as far as nodes decide: limits and the queue order are not
// considered.

#include "domain/cluster/state/state.h"
#include "domain/scheduling/node_classes.h"
#include "domain/scheduling/reasons/what_is_out.h"
#include "domain/scheduling/reasons/why_pending.h"

namespace gp {

// `classes`: of the state's nodes; `incidents`: as in WhatIsOut.
PendingReason WhyNoPlace(const State& state, const NodeClasses& classes, const Job& job,
                         const IncidentsByGpu* incidents = nullptr);

}  // namespace gp
