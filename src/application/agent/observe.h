#pragma once

// Converts observations of a node to the types of the ledger.

#include <optional>

#include "domain/cluster/command.h"
#include "domain/faults/health.h"
#include "ports/outbound/attempt_runner.h"
#include "ports/outbound/control_link.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

// nullopt: not an attempt of a lease.
std::optional<LeaseObservation> ToObservation(const AttemptStatus& status);
// nullopt: the job has never reported progress.
std::optional<LeaseProgress> ToProgress(const AttemptStatus& status);
DriverAdvice AdviceOf(const std::optional<RecoveryAction>& action);
// Without the heat, which also depends on earlier readings.
GpuVitals ToVitals(const GpuHealth& health);
GpuObservation ToObservation(int gpu, const GpuVitals& vitals);

}  // namespace gp
