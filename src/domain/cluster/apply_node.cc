#include "base/assert.h"
#include "domain/cluster/apply_parts.h"
#include "domain/cluster/faults.h"
#include "domain/cluster/metering.h"
#include "domain/cluster/reservations.h"

namespace gp {

Node& NodeOf(State& state, NodeId id) {
  GP_ASSERT(id.value < state.nodes.size(), "an event names a known node");
  Node& node = state.nodes[id.value];
  state.nodes_by_change.erase({node.changed, id});
  node.changed = ++state.node_changes;
  state.nodes_by_change.insert({node.changed, id});
  return node;
}

Gpu& GpuOf(State& state, NodeId node, int gpu) {
  Node& owner = NodeOf(state, node);
  GP_ASSERT(gpu >= 0 && gpu < static_cast<int>(owner.gpus.size()), "an event names a known GPU");
  return owner.gpus[static_cast<size_t>(gpu)];
}

void CountCapacity(State& state, const Node& node, int sign) {
  if (node.gpus.empty()) return;
  int64_t& capacity = state.capacity[node.pool];
  capacity += sign * static_cast<int64_t>(node.gpus.size());
  if (capacity == 0) state.capacity.erase(node.pool);
  std::map<GpuSize, int64_t>& sizes = state.gpu_sizes[node.pool];
  for (const GpuFacts& gpu : node.facts->gpus) {
    const GpuSize size{gpu.memory_mib, gpu.mig};
    int64_t& count = sizes[size];
    count += sign;
    if (count == 0) sizes.erase(size);
  }
  if (sizes.empty()) state.gpu_sizes.erase(node.pool);
}

// What follows from the policy: what is due when, what a GPU costs.
static void TakePolicy(State& state, const Policy& policy) {
  state.policy = policy;
  IndexIncidents(state);
  for (Node& node : state.nodes) PriceGpus(state.policy, node);
}

void ApplyEvent(State& state, Instant, const PolicyChanged& event) { TakePolicy(state, event.policy); }

void ApplyEvent(State& state, Instant, const NodePoolChanged& event) {
  Node& node = NodeOf(state, event.node);
  CountCapacity(state, node, -1);
  node.pool = event.pool;
  CountCapacity(state, node, 1);
  PriceGpus(state.policy, node);
}

void ApplyEvent(State& state, Instant, const NodeLabelsChanged& event) {
  Node& node = NodeOf(state, event.node);
  node.labels = event.labels;
  PriceGpus(state.policy, node);
}

void ApplyEvent(State& state, Instant at, const ControllerStarted& event) {
  TakePolicy(state, event.policy);
  state.lineage = event.lineage;
  state.quiet_until = event.quiet_until;
  ++state.epoch;
  state.losses.clear();
  for (Node& node : state.nodes) {
    if (node.condition != NodeCondition::kLost || node.leases_expired) continue;
    node.lost_at = at;  // the clock may have been stepped while no controller was there: its leases run out from now
    state.losses.insert({node.lost_at + state.policy.lease_end_time, node.id});
  }
}

void ApplyEvent(State& state, Instant at, const NodeJoined& event) {
  const bool is_new = event.node.value == state.nodes.size();
  if (is_new) {
    state.nodes.emplace_back();
    state.nodes.back().id = event.node;
    state.nodes_by_name[event.facts->name] = event.node;
  }
  Node& node = NodeOf(state, event.node);
  if (!is_new) CountCapacity(state, node, -1);
  const bool same_gpus = !is_new && node.facts->HasGpusOf(*event.facts);
  node.facts = event.facts;
  node.incarnation = event.incarnation;
  if (!same_gpus) {
    GP_ASSERT(node.leases.empty(), "hardware changes only where nothing is held");
    DropTroubles(state, event.node);
    node.gpus.assign(event.facts->gpus.size(), Gpu{});
    for (Gpu& gpu : node.gpus) gpu.changed_at = at;
  }
  node.numa.resize(event.facts->numa.size());
  CountCapacity(state, node, 1);
  PriceGpus(state.policy, node);
  if (node.condition == NodeCondition::kLost) ApplyEvent(state, at, NodeReturned{event.node});
}

void ApplyEvent(State& state, Instant at, const NodeLost& event) {
  Node& node = NodeOf(state, event.node);
  node.condition = NodeCondition::kLost;
  if (!node.draining && !IsInMaintenance(state, node, at)) NoteFailure(state, node, at);  // otherwise a person knows of it
  node.lost_at = at;
  node.leases_expired = false;
  state.losses.insert({at + state.policy.lease_end_time, event.node});
}

void ApplyEvent(State& state, Instant, const NodeLeasesExpired& event) {
  Node& node = NodeOf(state, event.node);
  node.leases_expired = true;
  state.losses.erase({node.lost_at + state.policy.lease_end_time, event.node});
}

void ApplyEvent(State& state, Instant at, const NodeReturned& event) {
  ApplyEvent(state, at, NodeLeasesExpired{event.node});
  NodeOf(state, event.node).condition = NodeCondition::kUp;
}

void ApplyEvent(State& state, Instant, const NodeDrainChanged& event) {
  Node& node = NodeOf(state, event.node);
  node.draining = event.draining;
  node.reason = event.reason;
  if (!event.draining) node.failures.clear();
}

void ApplyEvent(State& state, Instant, const DrainDeadlineSet& event) {
  const GpuKey key{event.node, event.gpu};
  if (event.at.ns == 0) {
    state.drain_deadlines.erase(key);
  } else {
    state.drain_deadlines[key] = event.at;
  }
}

void ApplyEvent(State& state, Instant at, const GpuConditionChanged& event) {
  Gpu& gpu = GpuOf(state, event.node, event.gpu);
  GP_ASSERT(CanBecome(gpu.condition, event.to), "a GPU moves along edges of its state machine");
  gpu.condition = event.to;
  gpu.reason = event.reason;
  gpu.changed_at = at;
}

void ApplyEvent(State& state, Instant at, const GpuDrainChanged& event) {
  Gpu& gpu = GpuOf(state, event.node, event.gpu);
  gpu.draining = event.draining;
  gpu.reason = event.reason;
  gpu.changed_at = at;
}

}  // namespace gp
