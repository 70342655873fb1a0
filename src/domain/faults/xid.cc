#include "domain/faults/xid.h"

#include <algorithm>

namespace gp {

bool Asks(DriverAdvice advice) {
  return advice != DriverAdvice::kUnknown && advice != DriverAdvice::kNone;
}

const char* Name(TenantAction action) {
  switch (action) {
    case TenantAction::kNone: return "none";
    case TenantAction::kNote: return "note";
    case TenantAction::kForgive: return "forgive";
    case TenantAction::kRestartNamed: return "restart-named";
    case TenantAction::kRestartLinked: return "restart-linked";
    case TenantAction::kRestartAll: return "restart-all";
  }
  return "?";
}

const char* Name(GpuRemedy remedy) {
  switch (remedy) {
    case GpuRemedy::kNone: return "none";
    case GpuRemedy::kWatch: return "watch";
    case GpuRemedy::kTest: return "test";
    case GpuRemedy::kResetWhenIdle: return "reset-when-idle";
    case GpuRemedy::kDrainReset: return "drain-reset";
    case GpuRemedy::kReset: return "reset";
    case GpuRemedy::kOperator: return "operator";
    case GpuRemedy::kReboot: return "reboot";
  }
  return "?";
}

GpuRemedy Both(GpuRemedy a, GpuRemedy b) {
  const auto [weaker, stronger] = std::minmax(a, b);
  return weaker == GpuRemedy::kTest && stronger == GpuRemedy::kResetWhenIdle
             ? GpuRemedy::kDrainReset
             : stronger;
}

const char* Name(DriverAdvice advice) {
  switch (advice) {
    case DriverAdvice::kUnknown: return "unknown";
    case DriverAdvice::kNone: return "none";
    case DriverAdvice::kGpuReset: return "gpu-reset";
    case DriverAdvice::kNodeReboot: return "node-reboot";
    case DriverAdvice::kDrainP2p: return "drain-p2p";
    case DriverAdvice::kDrainAndReset: return "drain-and-reset";
    case DriverAdvice::kRecoverImex: return "recover-imex";
  }
  return "?";
}

std::optional<DriverAdvice> ParseDriverAdvice(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(DriverAdvice::kRecoverImex); ++i) {
    if (name == Name(static_cast<DriverAdvice>(i))) return static_cast<DriverAdvice>(i);
  }
  return std::nullopt;
}

}  // namespace gp
