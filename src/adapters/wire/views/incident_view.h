#pragma once

// Incidents as messages.

#include "domain/cluster/state/state.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

void IncidentView(const State& state, const Incident& incident, v1::Incident* message);

}  // namespace gp
