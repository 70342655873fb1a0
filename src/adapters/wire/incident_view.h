#pragma once

// Incidents as messages.

#include "domain/faults/incident.h"
#include "domain/model/time_line.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

void IncidentView(const TimeLine& time, const Incident& incident, v1::Incident* message);

}  // namespace gp
