#pragma once

// What a node sees, in the words of the ledger.

#include <optional>

#include "domain/cluster/command.h"
#include "domain/node/heat.h"
#include "ports/outbound/attempt_runner.h"
#include "ports/outbound/control_link.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

// nullopt: not an attempt of a lease.
std::optional<LeaseObservation> ToObservation(const AttemptStatus& status);
// nullopt: it has never reported any.
std::optional<LeaseProgress> ToProgress(const AttemptStatus& status);
GpuObservation ToObservation(int gpu, const GpuHealth& health, Heat heat = Heat::kCool);

}  // namespace gp
