#include "domain/scheduling/schedule.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "domain/placement/choose_gpus.h"
#include "domain/scheduling/scratch_nodes.h"

namespace gp {
namespace {

// Two jobs of one shape fit in the same places: what one could not get, the other cannot either.
bool SameShape(const Job& a, const Job& b) {
  const JobSpec& x = *a.spec;
  const JobSpec& y = *b.spec;
  return x.gpus == y.gpus && x.nodes == y.nodes && x.cpus == y.cpus &&
         x.memory_bytes == y.memory_bytes && x.topology == y.topology &&
         (x.gpus.isolation == Isolation::kExclusive || a.user.name == b.user.name);
}

// A job that waited too long keeps the emptiest nodes that could hold it: they fill no further.
void ReserveFor(const Job& job, ScratchNodes& nodes) {
  std::vector<const Node*> able;
  for (const Node* node : nodes.view()) {
    if (CouldEverHold(*node, *job.spec)) able.push_back(node);
  }
  std::ranges::sort(able, {}, [](const Node* node) {
    return std::tuple(-std::popcount(FreeGpus(*node)), node->id);
  });
  const size_t wanted = std::min(able.size(), static_cast<size_t>(job.spec->nodes));
  for (size_t i = 0; i < wanted; ++i) nodes.Reserve(able[i]->id);
}

}  // namespace

Plan Schedule(const State& state, Instant at) {
  Plan plan;
  ScratchNodes nodes(state);
  std::vector<const Job*> unplaced_shapes;
  bool reserved = false;
  for (const QueueKey& key : state.queue) {
    if (nodes.view().empty()) break;
    const Job& job = *state.FindJob(key.job);
    const bool hopeless = std::ranges::any_of(
        unplaced_shapes, [&job](const Job* other) { return SameShape(job, *other); });
    if (hopeless) continue;
    if (auto place = FindGangPlace(nodes.view(), job)) {
      place->pass = state.last_pass + 1;
      nodes.Hold(job, *place);
      plan.placements.push_back(*std::move(place));
      continue;
    }
    unplaced_shapes.push_back(&job);
    if (!reserved && at - job.queued_at >= state.policy.reserve_after) {
      ReserveFor(job, nodes);
      reserved = true;
    }
  }
  return plan;
}

}  // namespace gp
