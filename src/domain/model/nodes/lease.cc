#include "domain/model/nodes/lease.h"

namespace gp {

bool IsPlatformFault(LeaseEnd end) {
  return end == LeaseEnd::kLeaseLost || end == LeaseEnd::kSupervisorLost ||
         end == LeaseEnd::kNodeLost || end == LeaseEnd::kPlatformFault;
}

const char* Name(LeaseEnd end) {
  switch (end) {
    case LeaseEnd::kExited: return "exited";
    case LeaseEnd::kStopped: return "stopped";
    case LeaseEnd::kLeaseLost: return "lease-lost";
    case LeaseEnd::kOutOfMemory: return "out-of-memory";
    case LeaseEnd::kCouldNotStart: return "could-not-start";
    case LeaseEnd::kSupervisorLost: return "supervisor-lost";
    case LeaseEnd::kNodeLost: return "node-lost";
    case LeaseEnd::kPlatformFault: return "platform-fault";
  }
  return "?";
}

}  // namespace gp
