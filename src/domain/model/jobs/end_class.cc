#include "domain/model/jobs/end_class.h"

namespace gp {

EndCharge ChargeOf(EndClass end) {
  switch (end) {
    case EndClass::kExitCode:
    case EndClass::kSignal:
    case EndClass::kHostMemory:
    case EndClass::kGpuMemory:
    case EndClass::kCommunication:
    case EndClass::kHang:
    case EndClass::kCouldNotStart:
    case EndClass::kTimeLimit:
    case EndClass::kMetric:
    case EndClass::kUnderUse: return EndCharge::kUser;
    case EndClass::kGpuError:
    case EndClass::kNodeLost: return EndCharge::kHardware;
    case EndClass::kPlatform: return EndCharge::kPlatform;
    case EndClass::kNone:
    case EndClass::kCompleted:
    case EndClass::kPreempted:
    case EndClass::kMoved:
    case EndClass::kDrained:
    case EndClass::kBudget:
    case EndClass::kCancelled: return EndCharge::kNobody;
  }
  return EndCharge::kNobody;
}

const char* Name(EndClass end) {
  switch (end) {
    case EndClass::kNone: return "";
    case EndClass::kCompleted: return "completed";
    case EndClass::kExitCode: return "exit-code";
    case EndClass::kSignal: return "signal";
    case EndClass::kHostMemory: return "host-memory";
    case EndClass::kGpuMemory: return "gpu-memory";
    case EndClass::kCommunication: return "communication";
    case EndClass::kHang: return "hang";
    case EndClass::kCouldNotStart: return "could-not-start";
    case EndClass::kGpuError: return "gpu-error";
    case EndClass::kNodeLost: return "node-lost";
    case EndClass::kPlatform: return "platform";
    case EndClass::kPreempted: return "preempted";
    case EndClass::kMoved: return "moved";
    case EndClass::kDrained: return "drained";
    case EndClass::kTimeLimit: return "time-limit";
    case EndClass::kCancelled: return "cancelled";
    case EndClass::kUnderUse: return "under-use";
    case EndClass::kBudget: return "budget";
    case EndClass::kMetric: return "metric";
  }
  return "?";
}

const char* Name(EndCharge charge) {
  switch (charge) {
    case EndCharge::kNobody: return "nobody";
    case EndCharge::kUser: return "user";
    case EndCharge::kHardware: return "hardware";
    case EndCharge::kPlatform: return "platform";
  }
  return "?";
}

}  // namespace gp
