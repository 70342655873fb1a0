#include "domain/cluster/state/queues.h"

namespace gp {

bool QueueStore::HasChildren(const std::string& queue) const {
  const auto next = all.lower_bound(queue + "/");
  return next != all.end() && next->first.starts_with(queue + "/");
}

Duration QueueStore::WaitTargetOf(const std::string& queue) const {
  const auto found = wait_targets.find(queue);
  return found == wait_targets.end() ? Duration{} : found->second;
}

void QueueStore::IndexWaitTargets() {
  wait_targets.clear();
  for (const auto& [name, queue] : all) {  // each after those above it
    const Duration above = WaitTargetOf(ParentOf(name));
    const Duration own = queue.wait_target;
    const bool is_own = own.ns != 0 && (above.ns == 0 || own < above);
    if (is_own || above.ns != 0) wait_targets[name] = is_own ? own : above;
  }
  std::erase_if(waits, [this](const auto& one) { return !wait_targets.contains(one.first); });
}

}  // namespace gp
