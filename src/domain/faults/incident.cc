#include "domain/faults/incident.h"

namespace gp {

bool IsHardwareFailure(GpuRemedy remedy) { return remedy >= GpuRemedy::kDrainReset; }

const char* Name(IncidentState state) {
  switch (state) {
    case IncidentState::kOpen: return "OPEN";
    case IncidentState::kAcknowledged: return "ACKNOWLEDGED";
    case IncidentState::kClosed: return "CLOSED";
  }
  return "?";
}

}  // namespace gp
