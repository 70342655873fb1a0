#include "base/assert.h"
#include "domain/cluster/apply/assert_parts.h"

namespace gp {
namespace {

void CheckLeaseTimes(const Policy& policy) {
  GP_ASSERT(policy.lease_time.ns > 0, "leases last for some time");
  GP_ASSERT(policy.lease_end_time.ns > 0, "an expired lease has time to end");
}

void CheckLost(const State& state, NodeId node) {
  GP_ASSERT(NodeIn(state, node).condition == NodeCondition::kLost,
            "only a lost node returns or has expired leases");
}

void CheckRetired(const State& state, const GpuKey& gpu) {
  const NodeFacts& facts = *NodeIn(state, gpu.node).facts;
  GP_ASSERT(facts.gpus[static_cast<size_t>(gpu.gpu)].presence == GpuPresence::kRetired,
            "a position that its GPU has left is retired");
}

}  // namespace

void CheckBefore(const State&, const ControllerStarted& event) { CheckLeaseTimes(event.policy); }
void CheckAfter(const State& state, const ControllerStarted& event) {
  GP_ASSERT(state.epoch > 0, "each start of a controller has an epoch");
  GP_ASSERT(state.lineage == event.lineage, "the state is of the journal's lineage");
}

void CheckBefore(const State& state, const FormatRaised& event) {
  GP_ASSERT(event.format > state.format, "the format of records is never lowered");
}
void CheckAfter(const State& state, const FormatRaised& event) {
  GP_ASSERT(state.format == event.format, "records are written in the new format");
}

void CheckBefore(const State&, const PolicyChanged& event) { CheckLeaseTimes(event.policy); }
void CheckAfter(const State& state, const PolicyChanged& event) {
  GP_ASSERT(state.policy.lease_time == event.policy.lease_time, "the new policy holds");
}

void CheckBefore(const State& state, const WallClockStepped&) {
  GP_ASSERT(state.reservations.ends.size() == state.reservations.all.size(),
            "each reservation has one end");
}
void CheckAfter(const State& state, const WallClockStepped& event) {
  GP_ASSERT(state.time.wall == event.wall, "the wall clock is followed");
  GP_ASSERT(state.reservations.ends.size() == state.reservations.all.size(),
            "each reservation has one end");
}

void CheckBefore(const State& state, const NodeJoined& event) {
  GP_ASSERT(event.facts != nullptr, "a node joins with its facts");
  GP_ASSERT(event.node.value <= state.nodes.all.size(), "nodes are numbered without gaps");
  const bool is_new = event.node.value == state.nodes.all.size();
  GP_ASSERT(is_new || NodeIn(state, event.node).facts->name == event.facts->name,
            "a node keeps its name");
}
void CheckAfter(const State& state, const NodeJoined& event) {
  const Node& node = NodeIn(state, event.node);
  GP_ASSERT(node.condition == NodeCondition::kUp, "a node that joined is in contact");
  GP_ASSERT(node.gpus.size() == event.facts->gpus.size(), "each GPU of a node has its state");
}

void CheckBefore(const State& state, const NodeLost& event) {
  GP_ASSERT(NodeIn(state, event.node).condition == NodeCondition::kUp,
            "only a node in contact is lost");
}
void CheckAfter(const State& state, const NodeLost& event) {
  const Node& node = NodeIn(state, event.node);
  GP_ASSERT(node.condition == NodeCondition::kLost && !node.leases_expired,
            "leases of a lost node expire later");
}

void CheckBefore(const State& state, const NodeLeasesExpired& event) {
  CheckLost(state, event.node);
}
void CheckAfter(const State& state, const NodeLeasesExpired& event) {
  GP_ASSERT(NodeIn(state, event.node).leases_expired, "leases expire once");
}

void CheckBefore(const State& state, const NodeReturned& event) { CheckLost(state, event.node); }
void CheckAfter(const State& state, const NodeReturned& event) {
  GP_ASSERT(NodeIn(state, event.node).condition == NodeCondition::kUp,
            "a node that returned is in contact");
}

void CheckBefore(const State& state, const NodeDrainChanged& event) { NodeIn(state, event.node); }
void CheckAfter(const State& state, const NodeDrainChanged& event) {
  const Node& node = NodeIn(state, event.node);
  GP_ASSERT(node.draining == event.draining, "a node drains as the event says");
  GP_ASSERT(node.draining || node.failures.empty(), "a node in service starts without failures");
}

void CheckBefore(const State& state, const NodeLabelsChanged& event) { NodeIn(state, event.node); }
void CheckAfter(const State& state, const NodeLabelsChanged& event) {
  GP_ASSERT(NodeIn(state, event.node).labels == event.labels, "a node has the labels of the event");
}

void CheckBefore(const State& state, const NodeImagesChanged& event) {
  NodeIn(state, event.node);
  GP_ASSERT(std::ranges::is_sorted(event.images), "the images of a node are in order");
}
void CheckAfter(const State& state, const NodeImagesChanged& event) {
  GP_ASSERT(state.nodes.images.contains(event.node) == !event.images.empty(),
            "a node has the images of the event");
}

void CheckBefore(const State& state, const NodePoolChanged& event) {
  NodeIn(state, event.node);
  GP_ASSERT(!event.pool.empty(), "a pool has a name");
}
void CheckAfter(const State& state, const NodePoolChanged& event) {
  GP_ASSERT(NodeIn(state, event.node).pool == event.pool, "a node is in the pool of the event");
}

void CheckBefore(const State& state, const DrainDeadlineSet& event) {
  if (event.gpu < 0) {
    NodeIn(state, event.node);
  } else {
    GpuIn(state, event.node, event.gpu);
  }
}
void CheckAfter(const State& state, const DrainDeadlineSet& event) {
  GP_ASSERT(state.nodes.drain_deadlines.contains({event.node, event.gpu}) == (event.at.ns != 0),
            "a drain has a deadline, or none");
}

void CheckBefore(const State& state, const GpuConditionChanged& event) {
  GP_ASSERT(CanBecome(GpuIn(state, event.node, event.gpu).condition, event.to),
            "a GPU moves along edges of its state machine");
}
void CheckAfter(const State& state, const GpuConditionChanged& event) {
  GP_ASSERT(GpuIn(state, event.node, event.gpu).condition == event.to,
            "a GPU is in the condition of the event");
}

void CheckBefore(const State& state, const GpuDrainChanged& event) {
  GpuIn(state, event.node, event.gpu);
}
void CheckAfter(const State& state, const GpuDrainChanged& event) {
  GP_ASSERT(GpuIn(state, event.node, event.gpu).draining == event.draining,
            "a GPU drains as the event says");
}

void CheckBefore(const State& state, const GpuMoved& event) {
  GP_ASSERT(event.from != event.to, "a GPU moves to another position");
  GP_ASSERT(GpuIn(state, event.from.node, event.from.gpu).leases.empty(),
            "an allocated GPU is never moved");
}
void CheckAfter(const State& state, const GpuMoved& event) { CheckRetired(state, event.from); }

void CheckBefore(const State& state, const GpuRetired& event) {
  GP_ASSERT(GpuIn(state, event.gpu.node, event.gpu.gpu).leases.empty(),
            "an allocated GPU is never retired");
}
void CheckAfter(const State& state, const GpuRetired& event) { CheckRetired(state, event.gpu); }

}  // namespace gp
