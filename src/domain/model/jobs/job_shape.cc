#include "domain/model/jobs/job_shape.h"

#include "domain/model/nodes/features.h"

namespace gp {

JobShape ShapeOf(const Job& job) {
  const JobSpec& spec = *job.spec;
  const bool shares = spec.resources.gpus.isolation != Isolation::kExclusive;
  return {spec.resources.nodes,        spec.resources.gpus,        spec.resources.cpus,
          spec.resources.memory_bytes, spec.placement.topology,    job.pool,
          spec.placement.node_labels,  spec.placement.reservation, FeaturesFor(spec),
          shares ? job.user.name : "", spec.resources.nodes_min,   spec.resources.any_of};
}

}  // namespace gp
