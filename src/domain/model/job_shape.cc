#include "domain/model/job_shape.h"

namespace gp {

JobShape ShapeOf(const Job& job) {
  const JobSpec& spec = *job.spec;
  const bool shares = spec.gpus.isolation != Isolation::kExclusive;
  return {spec.nodes,        spec.gpus,        spec.cpus,
          spec.memory_bytes, spec.topology,    job.pool,
          spec.node_labels,  spec.reservation, shares ? job.user.name : "",
          spec.nodes_min,    spec.any_of};
}

}  // namespace gp
