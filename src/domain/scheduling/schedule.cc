#include "domain/scheduling/schedule.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <tuple>

#include "domain/placement/choose_gpus.h"
#include "domain/scheduling/same_shape.h"
#include "domain/scheduling/scratch_nodes.h"

namespace gp {
namespace {

// A job that waited too long keeps the emptiest nodes that could hold it: they fill no further.
// False: those in service cannot hold it even when empty, so it keeps nothing from others.
bool ReserveFor(const Job& job, ScratchNodes& nodes) {
  NodeView emptiest_first = nodes.view();
  std::ranges::sort(emptiest_first, {}, [](const Node* node) {
    return std::tuple(-std::popcount(FreeGpus(*node)), node->id);
  });
  std::map<std::string, std::vector<NodeId>> able;
  for (const Node* node : emptiest_first) {
    const auto choice = ChooseGpus(Emptied(*node), *job.spec, job.user.name);
    if (!choice) continue;
    std::vector<NodeId>& alike = able[CommonTrait(*job.spec, *node, *choice)];
    alike.push_back(node->id);
    if (static_cast<int>(alike.size()) < job.spec->nodes) continue;
    for (const NodeId id : alike) nodes.Reserve(id);
    return true;
  }
  return false;
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
      reserved = ReserveFor(job, nodes);
    }
  }
  return plan;
}

}  // namespace gp
