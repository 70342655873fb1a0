#include "domain/model/nodes/gpu.h"

namespace gp {

bool CanBecome(GpuCondition from, GpuCondition to) {
  using enum GpuCondition;
  if (from == to) return false;
  if (to == kLost) return true;  // anything may stop responding
  // an operator may take any GPU that responds out of service
  if (to == kOffline) return from != kLost;
  switch (from) {
    case kUnknown: return to == kTesting;
    case kTesting:
      return to == kAvailable || to == kUnlinked || to == kSuspect || to == kQuarantined;
    case kAvailable: return to == kUnlinked || to == kSuspect || to == kQuarantined;
    case kUnlinked: return to == kAvailable || to == kSuspect || to == kQuarantined;
    case kSuspect: return to == kTesting || to == kQuarantined;
    case kQuarantined: return to == kResetting || to == kTesting;
    case kResetting: return to == kTesting;
    case kOffline: return to == kTesting;
    case kLost: return to == kUnknown;
  }
  return false;
}

bool IsGrantable(const Gpu& gpu) {
  return (gpu.condition == GpuCondition::kAvailable || gpu.condition == GpuCondition::kUnlinked) &&
         !gpu.draining;
}

bool IsGrantable(const Gpu& gpu, int gpus) {
  return IsGrantable(gpu) && (gpus <= 1 || gpu.condition != GpuCondition::kUnlinked);
}

ShownGpuState Shown(const Gpu& gpu, bool any_lease_started) {
  switch (gpu.condition) {
    case GpuCondition::kAvailable:
      if (gpu.leases.empty()) return ShownGpuState::kAvailable;
      return any_lease_started ? ShownGpuState::kInUse : ShownGpuState::kAllocated;
    case GpuCondition::kUnlinked:
      if (gpu.leases.empty()) return ShownGpuState::kDegraded;
      return any_lease_started ? ShownGpuState::kInUse : ShownGpuState::kAllocated;
    case GpuCondition::kSuspect:
    case GpuCondition::kQuarantined:
    case GpuCondition::kTesting: return ShownGpuState::kDegraded;
    case GpuCondition::kResetting: return ShownGpuState::kResetting;
    case GpuCondition::kUnknown:
    case GpuCondition::kOffline:
    case GpuCondition::kLost: return ShownGpuState::kOffline;
  }
  return ShownGpuState::kOffline;
}

const char* Name(GpuCondition condition) {
  switch (condition) {
    case GpuCondition::kUnknown: return "UNKNOWN";
    case GpuCondition::kTesting: return "TESTING";
    case GpuCondition::kAvailable: return "AVAILABLE";
    case GpuCondition::kSuspect: return "SUSPECT";
    case GpuCondition::kQuarantined: return "QUARANTINED";
    case GpuCondition::kResetting: return "RESETTING";
    case GpuCondition::kOffline: return "OFFLINE";
    case GpuCondition::kLost: return "LOST";
    case GpuCondition::kUnlinked: return "UNLINKED";
  }
  return "?";
}

const char* Name(GpuMode mode) {
  switch (mode) {
    case GpuMode::kFree: return "free";
    case GpuMode::kWhole: return "whole";
    case GpuMode::kTimeslice: return "timeslice";
    case GpuMode::kMps: return "mps";
    case GpuMode::kMig: return "mig";
  }
  return "?";
}

const char* Name(ShownGpuState state) {
  switch (state) {
    case ShownGpuState::kAvailable: return "AVAILABLE";
    case ShownGpuState::kAllocated: return "ALLOCATED";
    case ShownGpuState::kInUse: return "IN_USE";
    case ShownGpuState::kDegraded: return "DEGRADED";
    case ShownGpuState::kResetting: return "RESETTING";
    case ShownGpuState::kOffline: return "OFFLINE";
  }
  return "?";
}

}  // namespace gp
