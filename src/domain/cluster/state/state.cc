#include "domain/cluster/state/state.h"

namespace gp {

const std::string& QueueFor(const State& state, const JobSpec& spec) {
  if (!spec.policy.queue.empty()) return spec.policy.queue;
  const auto of_project = state.queues.all.find(spec.project);
  return of_project != state.queues.all.end() ? of_project->first
                                              : state.queues.all.find(kDefaultQueue)->first;
}

}  // namespace gp
