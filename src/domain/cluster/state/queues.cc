#include "domain/cluster/state/queues.h"

namespace gp {

bool QueueStore::HasChildren(const std::string& queue) const {
  const auto next = all.lower_bound(queue + "/");
  return next != all.end() && next->first.starts_with(queue + "/");
}

}  // namespace gp
