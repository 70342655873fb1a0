#include "domain/faults/health.h"

#include <algorithm>
#include <utility>

#include "domain/faults/fault_policy.h"

namespace gp {

const HealthTable& DefaultHealthTable() {
  static const HealthTable kTable = {
      {HealthCode::kUnread, HealthAction::kNoNewWork},
      {HealthCode::kLinkDown, HealthAction::kNoLinkedWork},
      {HealthCode::kWarm, HealthAction::kNoNewWork},
      // The driver's own advice decides the rest: judge.cc.
      {HealthCode::kRecoveryAction, HealthAction::kNoNewWork},
      {HealthCode::kRemapPending, HealthAction::kResetWhenIdle},
      {HealthCode::kUncorrected, HealthAction::kResetWhenIdle},
      {HealthCode::kHot, HealthAction::kNoNewWork},
      {HealthCode::kCritical, HealthAction::kOperator},
      {HealthCode::kRemapFailed, HealthAction::kOperator},
      {HealthCode::kLost, HealthAction::kOperator},
  };
  return kTable;
}

std::vector<HealthFinding> Examine(const GpuVitals& vitals) {
  if (vitals.lost) return {{HealthCode::kLost, 0, 0}};
  // Stale readings say nothing about the present.
  if (vitals.unread_s > 0) return {{HealthCode::kUnread, vitals.unread_s, 0}};
  std::vector<HealthFinding> findings;
  const auto add = [&](bool is_so, HealthCode code, int64_t value = 0, int64_t limit = 0) {
    if (is_so) findings.push_back({code, value, limit});
  };
  add(vitals.links_active < vitals.links_total, HealthCode::kLinkDown, vitals.links_active,
      vitals.links_total);
  add(vitals.heat == Heat::kWarm, HealthCode::kWarm, vitals.temperature_c);
  // An IMEX domain belongs to the fabric, not to a GPU.
  const bool is_requested = Asks(vitals.advice) && vitals.advice != DriverAdvice::kRecoverImex;
  add(is_requested, HealthCode::kRecoveryAction, static_cast<int64_t>(vitals.advice));
  add(vitals.remap_pending, HealthCode::kRemapPending);
  add(vitals.uncorrected > 0, HealthCode::kUncorrected, vitals.uncorrected);
  add(vitals.heat == Heat::kHot, HealthCode::kHot, vitals.temperature_c);
  add(vitals.heat == Heat::kCritical, HealthCode::kCritical, vitals.temperature_c);
  add(vitals.remap_failed, HealthCode::kRemapFailed);
  return findings;
}

HealthAction ActionOf(const FaultPolicy& policy, HealthCode code) {
  const auto found = policy.health.find(code);
  return found == policy.health.end() ? HealthAction::kNoNewWork : found->second;
}

HealthAction ActionOf(const FaultPolicy& policy, const std::vector<HealthFinding>& findings) {
  return findings.empty() ? HealthAction::kNone : ActionOf(policy, WorstOf(policy, findings).code);
}

const HealthFinding& WorstOf(const FaultPolicy& policy,
                             const std::vector<HealthFinding>& findings) {
  return *std::ranges::max_element(findings, {}, [&](const HealthFinding& one) {
    return std::pair(ActionOf(policy, one.code), one.code);
  });
}

GpuRemedy RemedyOf(HealthAction action) {
  switch (action) {
    case HealthAction::kNone:
    case HealthAction::kNoLinkedWork:
    case HealthAction::kNoNewWork: return GpuRemedy::kNone;
    case HealthAction::kResetWhenIdle: return GpuRemedy::kDrainReset;
    case HealthAction::kOperator: return GpuRemedy::kOperator;
  }
  return GpuRemedy::kNone;
}

const char* Name(HealthCode code) {
  switch (code) {
    case HealthCode::kUnread: return "unread";
    case HealthCode::kLinkDown: return "nvlink-down";
    case HealthCode::kWarm: return "warm";
    case HealthCode::kRecoveryAction: return "recovery-action";
    case HealthCode::kRemapPending: return "row-remap-pending";
    case HealthCode::kUncorrected: return "ecc-uncorrected";
    case HealthCode::kHot: return "hot";
    case HealthCode::kCritical: return "critical-heat";
    case HealthCode::kRemapFailed: return "row-remap-failed";
    case HealthCode::kLost: return "lost";
  }
  return "?";
}

const char* Name(HealthAction action) {
  switch (action) {
    case HealthAction::kNone: return "none";
    case HealthAction::kNoLinkedWork: return "no-linked-work";
    case HealthAction::kNoNewWork: return "no-new-work";
    case HealthAction::kResetWhenIdle: return "reset-when-idle";
    case HealthAction::kOperator: return "operator";
  }
  return "?";
}

std::string CauseOf(const HealthFinding& finding) {
  switch (finding.code) {
    case HealthCode::kUnread: return "its driver does not answer";
    case HealthCode::kLinkDown: return "an NVLink is down";
    case HealthCode::kWarm: return "it is too warm";
    case HealthCode::kRemapPending: return "a memory row waits to be remapped";
    case HealthCode::kUncorrected: return "uncorrected memory errors";
    case HealthCode::kHot: return "it is too hot";
    case HealthCode::kCritical: return "it is near its thermal shutdown temperature";
    case HealthCode::kLost: return "it fell off the bus";
    case HealthCode::kRecoveryAction:
    case HealthCode::kRemapFailed: break;
  }
  return ToText(finding);
}

std::string ToText(const HealthFinding& finding) {
  const std::string value = std::to_string(finding.value);
  switch (finding.code) {
    case HealthCode::kUnread: return "no reading for " + value + " s: the driver does not answer";
    case HealthCode::kLinkDown:
      return value + " of " + std::to_string(finding.limit) + " NVLinks are up";
    case HealthCode::kWarm: return value + " °C: close to the temperature at which it slows down";
    case HealthCode::kRecoveryAction:
      return std::string("the driver asks for ") + Name(static_cast<DriverAdvice>(finding.value));
    case HealthCode::kRemapPending: return "a memory row waits to be remapped: a reset applies it";
    case HealthCode::kUncorrected:
      return value + " uncorrected memory error" + (finding.value == 1 ? "" : "s") +
             " since its last reset";
    case HealthCode::kHot: return value + " °C: in thermal slowdown for a long time";
    case HealthCode::kCritical:
      return value + " °C: close to the temperature at which it turns itself off";
    case HealthCode::kRemapFailed: return "a memory row could not be remapped";
    case HealthCode::kLost: return "the driver says that it fell off the bus";
  }
  return "?";
}

}  // namespace gp
