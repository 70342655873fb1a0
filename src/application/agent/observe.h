#pragma once

// What a node sees, in the words of the ledger.

#include <optional>

#include "domain/cluster/command.h"
#include "domain/faults/health.h"
#include "ports/outbound/attempt_runner.h"
#include "ports/outbound/control_link.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

// nullopt: not an attempt of a lease.
std::optional<LeaseObservation> ToObservation(const AttemptStatus& status);
// nullopt: it has never reported any.
std::optional<LeaseProgress> ToProgress(const AttemptStatus& status);
DriverAdvice AdviceOf(const std::optional<RecoveryAction>& action);
// But for its heat, which is judged by its past too.
GpuVitals ToVitals(const GpuHealth& health);
GpuObservation ToObservation(int gpu, const GpuVitals& vitals);

}  // namespace gp
