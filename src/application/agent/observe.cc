#include "application/agent/observe.h"

namespace gp {
namespace {

LeaseEnd EndOf(EndCause cause) {
  switch (cause) {
    case EndCause::kExit: return LeaseEnd::kExited;
    case EndCause::kStopped: return LeaseEnd::kStopped;
    case EndCause::kLeaseLost: return LeaseEnd::kLeaseLost;
    case EndCause::kOutOfMemory: return LeaseEnd::kOutOfMemory;
    case EndCause::kCouldNotStart: return LeaseEnd::kCouldNotStart;
    case EndCause::kSupervisorLost: return LeaseEnd::kSupervisorLost;
    case EndCause::kPlatformFault: return LeaseEnd::kPlatformFault;
  }
  return LeaseEnd::kSupervisorLost;
}

}  // namespace

std::optional<LeaseObservation> ToObservation(const AttemptStatus& status) {
  const auto lease = ParseLeaseId(status.key);
  if (!lease) return std::nullopt;
  LeaseObservation seen;
  seen.lease = *lease;
  seen.running = status.phase == AttemptPhase::kRunning;
  seen.ended = status.phase == AttemptPhase::kExited;
  seen.started_at = status.started_at;
  seen.ended_at = status.ended_at;
  // Of one that runs it grows: whoever sends the observation adds it.
  if (seen.ended && status.started_boot_ns > 0 && status.ended_boot_ns > status.started_boot_ns) seen.ran.ns = status.ended_boot_ns - status.started_boot_ns;
  if (seen.ended) seen.outcome = {EndOf(status.cause), status.exit_code, status.signal, status.message};
  seen.outcome.clues.gpu_memory = status.is_gpu_memory_used_up;
  seen.is_hung = status.progress.is_hung;
  for (const CheckpointReport& one : status.progress.checkpoints) {
    seen.checkpoints.push_back({0, 0, one.number, one.step, one.path, one.bytes, one.took, one.is_complete, one.fault, one.at, one.is_scored, one.score});
  }
  return seen;
}

std::optional<LeaseProgress> ToProgress(const AttemptStatus& status) {
  const auto lease = ParseLeaseId(status.key);
  const AttemptProgress& progress = status.progress;
  if (!lease || (progress.at.ns == 0 && progress.refused.empty())) return std::nullopt;
  return LeaseProgress{*lease, progress.at, progress.step, progress.steps, progress.refused};
}

GpuObservation ToObservation(int gpu, const GpuHealth& health, Heat heat) {
  GpuObservation seen{gpu, true, health.lost, ""};
  if (health.lost) seen.detail = "the driver says that it fell off the bus";
  if (heat != Heat::kCool) {
    seen.healthy = false;
    seen.detail = "too warm for new work: " + std::to_string(health.temperature_c.value_or(0)) + " °C";
  }
  if (health.row_remap && health.row_remap->failed) {
    seen.healthy = false;
    seen.detail = "a memory row could not be remapped";
  }
  if (health.recovery_action && *health.recovery_action != RecoveryAction::kNone) {
    seen.healthy = false;
    seen.detail = "the driver asks for a recovery action";
  }
  return seen;
}

}  // namespace gp
