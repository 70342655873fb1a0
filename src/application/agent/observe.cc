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

DriverAdvice AdviceOf(RecoveryAction action) {
  switch (action) {
    case RecoveryAction::kNone: return DriverAdvice::kNone;
    case RecoveryAction::kGpuReset: return DriverAdvice::kGpuReset;
    case RecoveryAction::kNodeReboot: return DriverAdvice::kNodeReboot;
    case RecoveryAction::kDrainP2p: return DriverAdvice::kDrainP2p;
    case RecoveryAction::kDrainAndReset: return DriverAdvice::kDrainAndReset;
  }
  return DriverAdvice::kUnknown;
}

}  // namespace

DriverAdvice AdviceOf(const std::optional<RecoveryAction>& action) {
  return action ? AdviceOf(*action) : DriverAdvice::kUnknown;
}

std::optional<LeaseObservation> ToObservation(const AttemptStatus& status) {
  const auto lease = ParseLeaseKey(status.key);
  if (!lease) return std::nullopt;
  LeaseObservation seen;
  seen.lease = *lease;
  seen.running = status.phase == AttemptPhase::kRunning;
  seen.ended = status.phase == AttemptPhase::kExited;
  seen.started_at = status.started_at;
  seen.ended_at = status.ended_at;
  // The run time of a running attempt grows, so it is added when the observation is sent.
  if (seen.ended && status.started_boot_ns > 0 && status.ended_boot_ns > status.started_boot_ns)
    seen.ran.ns = status.ended_boot_ns - status.started_boot_ns;
  if (seen.ended)
    seen.outcome = {EndOf(status.cause), status.exit_code, status.signal, status.message};
  seen.outcome.clues.gpu_memory = status.is_gpu_memory_used_up;
  seen.outcome.clues.mps_failed = status.is_mps_failed;
  seen.is_hung = status.progress.is_hung;
  seen.metric_rule = status.progress.metric_limit;
  seen.metric_value = status.progress.metric_value;
  seen.image_digest = status.image_digest;
  for (const CheckpointReport& one : status.progress.checkpoints) {
    seen.checkpoints.push_back({0, 0, one.number, one.step, one.path, one.bytes, one.took,
                                one.is_complete, one.fault, one.at, one.is_scored, one.score});
  }
  return seen;
}

std::optional<LeaseProgress> ToProgress(const AttemptStatus& status) {
  const auto lease = ParseLeaseKey(status.key);
  const AttemptProgress& progress = status.progress;
  const bool has_any =
      progress.at.ns != 0 || !progress.refused.empty() || !status.staging.what.empty();
  if (!lease || !has_any) return std::nullopt;
  return LeaseProgress{*lease,         progress.at,      progress.step,
                       progress.steps, progress.refused, status.staging};
}

GpuVitals ToVitals(const GpuHealth& health) {
  GpuVitals vitals;
  vitals.lost = health.lost;
  vitals.remap_failed = health.row_remap && health.row_remap->failed;
  vitals.advice = AdviceOf(health.recovery_action);
  vitals.temperature_c = health.temperature_c.value_or(0);
  vitals.remap_pending = health.row_remap && health.row_remap->pending;
  vitals.uncorrected = health.ecc ? health.ecc->uncorrected_volatile : 0;
  vitals.links_total = health.nvlinks_total.value_or(0);
  vitals.links_active = health.nvlinks_active.value_or(vitals.links_total);
  return vitals;
}

GpuObservation ToObservation(int gpu, const GpuVitals& vitals) {
  GpuObservation seen{gpu, true, vitals.lost, "", Examine(vitals)};
  if (seen.findings.empty()) return seen;
  seen.healthy = false;
  seen.detail = ToText(seen.findings.back());
  return seen;
}

}  // namespace gp
