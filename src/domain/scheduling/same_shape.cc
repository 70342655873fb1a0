#include "domain/scheduling/same_shape.h"

namespace gp {

bool SameShape(const Job& a, const Job& b) {
  const JobSpec& x = *a.spec;
  const JobSpec& y = *b.spec;
  return x.gpus == y.gpus && x.nodes == y.nodes && x.cpus == y.cpus &&
         x.memory_bytes == y.memory_bytes && x.topology == y.topology &&
         (x.gpus.isolation == Isolation::kExclusive || a.user.name == b.user.name);
}

}  // namespace gp
