#include <algorithm>

#include "base/assert.h"
#include "domain/cluster/apply/apply_parts.h"
#include "domain/cluster/metering.h"
#include "domain/cluster/nodes/faults.h"
#include "domain/cluster/reservations.h"

namespace gp {

Gpu& GpuOf(State& state, NodeId node, int gpu) {
  Node& owner = NodeOf(state, node);
  GP_ASSERT(gpu >= 0 && gpu < static_cast<int>(owner.gpus.size()), "an event names a known GPU");
  return owner.gpus[static_cast<size_t>(gpu)];
}

// Sets the policy and what follows from it: deadlines and GPU prices.
static void TakePolicy(State& state, const Policy& policy) {
  state.policy = policy;
  state.faults.IndexIncidents(state.policy.faults);
  for (Node& node : state.nodes.all) PriceGpus(state.policy, node);
}

void ApplyEvent(State& state, Instant, const PolicyChanged& event) {
  TakePolicy(state, event.policy);
}

void ApplyEvent(State& state, Instant, const NodePoolChanged& event) {
  Node& node = NodeOf(state, event.node);
  state.nodes.CountCapacity(node, -1);
  node.pool = event.pool;
  state.nodes.CountCapacity(node, 1);
  PriceGpus(state.policy, node);
}

void ApplyEvent(State& state, Instant, const NodeLabelsChanged& event) {
  Node& node = NodeOf(state, event.node);
  node.labels = event.labels;
  PriceGpus(state.policy, node);
}

void ApplyEvent(State& state, Instant, const NodeImagesChanged& event) {
  state.nodes.IndexImages(event.node, -1);
  if (event.images.empty()) {
    state.nodes.images.erase(event.node);
  } else {
    state.nodes.images[event.node] = event.images;
  }
  state.nodes.IndexImages(event.node, 1);
}

void ApplyEvent(State& state, Instant, const WallClockStepped& event) {
  FollowWallClock(state, event.wall);
}

void ApplyEvent(State& state, Instant, const FormatRaised& event) { state.format = event.format; }

void ApplyEvent(State& state, Instant at, const ControllerStarted& event) {
  TakePolicy(state, event.policy);
  state.lineage = event.lineage;
  state.time.boot = event.time.boot;
  state.time.before_boot = event.time.before_boot;
  FollowWallClock(state, event.time.wall);
  state.quiet_until = event.quiet_until;
  if (event.format != 0) state.format = event.format;
  ++state.epoch;
  state.nodes.losses.clear();
  for (Node& node : state.nodes.all) {
    if (node.condition != NodeCondition::kLost || node.leases_expired) continue;
    // The clock may have been stepped while no controller ran: the node's leases expire from now on
    node.lost_at = at;
    state.nodes.losses.insert({node.lost_at + state.policy.lease_end_time, node.id});
  }
}

// Each position stays with its GPU; a GPU that is new, or takes a retired one's position, starts
// with an empty record.
static void KeepGpus(State& state, Instant at, Node& node, const NodeFacts& before) {
  GP_ASSERT(node.gpus.size() <= node.facts->gpus.size(), "no position of a node ever goes");
  node.gpus.resize(node.facts->gpus.size());
  for (size_t i = 0; i < node.gpus.size(); ++i) {
    if (i < before.gpus.size() && before.gpus[i].uuid == node.facts->gpus[i].uuid) continue;
    GP_ASSERT(node.gpus[i].leases.empty(), "what is held is never exchanged");
    DropTrouble(state, {node.id, static_cast<int>(i)});
    node.gpus[i] = Gpu{};
    node.gpus[i].changed_at = at;
  }
}

static void RetireGpu(State& state, Instant at, const GpuKey& key) {
  Node& node = NodeOf(state, key.node);
  GP_ASSERT(node.gpus[static_cast<size_t>(key.gpu)].leases.empty(),
            "what is held is never retired");
  state.nodes.CountCapacity(node, -1);
  state.nodes.IndexGpus(node, -1);
  NodeFacts facts = *node.facts;
  facts.gpus[static_cast<size_t>(key.gpu)].presence = GpuPresence::kRetired;
  node.facts = std::make_shared<const NodeFacts>(std::move(facts));
  Gpu retired;
  retired.condition = GpuCondition::kLost;
  retired.reason = "retired";
  retired.changed_at = at;
  node.gpus[static_cast<size_t>(key.gpu)] = retired;
  DropTrouble(state, key);
  state.nodes.drain_deadlines.erase(key);
  state.nodes.IndexGpus(node, 1);
  state.nodes.CountCapacity(node, 1);
  PriceGpus(state.policy, node);
}

void ApplyEvent(State& state, Instant at, const GpuRetired& event) {
  RetireGpu(state, at, event.gpu);
}

void ApplyEvent(State& state, Instant at, const GpuMoved& event) {
  const Gpu marks = GpuAt(state, event.from);
  MoveTrouble(state, event.from, event.to);
  RetireGpu(state, at, event.from);
  Gpu& gpu = GpuOf(state, event.to.node, event.to.gpu);
  gpu.draining = marks.draining;
  gpu.reason = marks.reason;
  // Whatever its condition was, it is tested in its new node before it is used.
  const bool is_out = marks.condition == GpuCondition::kOffline ||
                      marks.condition == GpuCondition::kQuarantined ||
                      marks.condition == GpuCondition::kSuspect;
  gpu.condition = is_out ? marks.condition : GpuCondition::kLost;
}

// Whether a GPU that is present now was present before; true if either side has none.
static bool HasACardOf(const NodeFacts& before, const NodeFacts& now) {
  const auto is_there = [](const GpuFacts& gpu) { return gpu.presence == GpuPresence::kPresent; };
  const auto was_there = [&](const GpuFacts& gpu) {
    const int position = is_there(gpu) ? before.PositionOf(gpu.uuid) : -1;
    return position >= 0 && is_there(before.gpus[static_cast<size_t>(position)]);
  };
  const bool has_none =
      std::ranges::none_of(before.gpus, is_there) || std::ranges::none_of(now.gpus, is_there);
  return has_none || std::ranges::any_of(now.gpus, was_there);
}

void ApplyEvent(State& state, Instant at, const NodeJoined& event) {
  const bool is_new = event.node.value == state.nodes.all.size();
  if (is_new) {
    state.nodes.all.emplace_back();
    state.nodes.all.back().id = event.node;
    state.nodes.by_name[event.facts->name] = event.node;
  }
  Node& node = NodeOf(state, event.node);
  const std::shared_ptr<const NodeFacts> before =
      is_new ? std::make_shared<const NodeFacts>() : node.facts;
  if (!is_new) state.nodes.CountCapacity(node, -1);
  if (!is_new) state.nodes.IndexGpus(node, -1);
  // The state directory or the whole machine is another one: its reports are numbered from the
  // start again.
  if (event.incarnation < node.incarnation || !HasACardOf(*before, *event.facts))
    node.signals_seen = 0;
  node.facts = event.facts;
  node.incarnation = event.incarnation;
  if (event.keeps_positions) {
    KeepGpus(state, at, node, *before);
  } else if (is_new || !before->HasGpusOf(*event.facts)) {
    GP_ASSERT(node.leases.empty(), "GPUs are forgotten only where nothing is held");
    DropTroubles(state, event.node);
    node.gpus.assign(event.facts->gpus.size(), Gpu{});
    for (Gpu& gpu : node.gpus) gpu.changed_at = at;
  }
  node.numa.resize(event.facts->numa.size());
  state.nodes.IndexGpus(node, 1);
  state.nodes.CountCapacity(node, 1);
  PriceGpus(state.policy, node);
  if (node.condition == NodeCondition::kLost) ApplyEvent(state, at, NodeReturned{event.node});
}

void ApplyEvent(State& state, Instant at, const NodeLost& event) {
  Node& node = NodeOf(state, event.node);
  node.condition = NodeCondition::kLost;
  // Otherwise an operator already knows
  if (!node.draining && !IsInMaintenance(state, node, at)) NoteFailure(state, node, at);
  node.lost_at = at;
  node.leases_expired = false;
  state.nodes.losses.insert({at + state.policy.lease_end_time, event.node});
}

void ApplyEvent(State& state, Instant, const NodeLeasesExpired& event) {
  Node& node = NodeOf(state, event.node);
  node.leases_expired = true;
  state.nodes.losses.erase({node.lost_at + state.policy.lease_end_time, event.node});
}

void ApplyEvent(State& state, Instant at, const NodeReturned& event) {
  ApplyEvent(state, at, NodeLeasesExpired{event.node});
  NodeOf(state, event.node).condition = NodeCondition::kUp;
}

void ApplyEvent(State& state, Instant at, const NodeDrainChanged& event) {
  Node& node = NodeOf(state, event.node);
  node.draining = event.draining;
  node.drained_at = event.draining ? at : Instant{};
  node.reason = event.reason;
  if (!event.draining) node.failures.clear();
}

void ApplyEvent(State& state, Instant, const DrainDeadlineSet& event) {
  const GpuKey key{event.node, event.gpu};
  if (event.at.ns == 0) {
    state.nodes.drain_deadlines.erase(key);
  } else {
    state.nodes.drain_deadlines[key] = event.at;
  }
}

void ApplyEvent(State& state, Instant at, const GpuConditionChanged& event) {
  Gpu& gpu = GpuOf(state, event.node, event.gpu);
  gpu.condition = event.to;
  // A lost GPU keeps the reason for which it is drained.
  if (event.to != GpuCondition::kLost || !gpu.draining) gpu.reason = event.reason;
  gpu.changed_at = at;
}

void ApplyEvent(State& state, Instant at, const GpuDrainChanged& event) {
  Gpu& gpu = GpuOf(state, event.node, event.gpu);
  gpu.draining = event.draining;
  gpu.reason = event.reason;
  gpu.changed_at = at;
}

}  // namespace gp
