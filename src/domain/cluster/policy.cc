#include "domain/cluster/policy.h"

#include <algorithm>

#include "domain/model/jobs/job.h"

namespace gp {

Duration ReservesAfter(const Policy& policy, const JobSpec& spec) {
  constexpr Duration kForLittle = Duration::Minutes(5);
  const bool is_whole =
      spec.resources.gpus.count > 0 && ModeFor(spec.resources.gpus) == GpuMode::kWhole;
  const bool needs_several = is_whole && spec.resources.nodes * spec.resources.gpus.count > 1;
  return needs_several ? policy.reserve_after : std::max(policy.reserve_after, kForLittle);
}

}  // namespace gp
