#pragma once

// What a node sees, in the words of the ledger.

#include <optional>

#include "domain/cluster/command.h"
#include "ports/outbound/attempt_runner.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

// nullopt: not an attempt of a lease.
std::optional<LeaseObservation> ToObservation(const AttemptStatus& status);
GpuObservation ToObservation(int gpu, const GpuHealth& health);

}  // namespace gp
