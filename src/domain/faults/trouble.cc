#include "domain/faults/trouble.h"

namespace gp {

bool IsEmpty(const GpuTrouble& trouble) {
  return trouble.remedy == GpuRemedy::kNone && trouble.incident.value == 0 &&
         trouble.task == GpuTask::kNone && trouble.resets.empty() && trouble.xids.empty() &&
         trouble.errors.empty() && trouble.hot_at.ns == 0 && trouble.findings.empty() &&
         trouble.out_of_service_at.ns == 0;
}

const char* Name(GpuTask task) {
  switch (task) {
    case GpuTask::kNone: return "none";
    case GpuTask::kReset: return "reset";
    case GpuTask::kTest: return "test";
  }
  return "?";
}

}  // namespace gp
