#include <algorithm>

#include "base/text.h"
#include "domain/cluster/decide/decide.h"
#include "domain/cluster/decide/decide_fault.h"
#include "domain/cluster/decide/decide_parts.h"
#include "domain/cluster/nodes/faults.h"
#include "domain/cluster/reservations.h"

namespace gp {
namespace {

Result<const Node*> LiveNode(const State& state, NodeId id) {
  const Node* node = state.FindNode(id);
  if (node == nullptr) return Fail(NotFound("no node with id " + std::to_string(id.value)));
  return node;
}

void LoseGpus(const Node& node, const std::string& reason, Events& events) {
  for (size_t i = 0; i < node.gpus.size(); ++i) {
    if (node.gpus[i].condition == GpuCondition::kOffline)
      continue;  // an operator keeps it out of service
    if (!CanBecome(node.gpus[i].condition, GpuCondition::kLost)) continue;
    events.push_back(
        GpuConditionChanged{node.id, static_cast<int>(i), GpuCondition::kLost, reason});
  }
}

// The layers that a node has decide between nodes that are equal in all else.
void ObserveImages(const State& state, NodeId node, std::vector<uint64_t> images, Events& events) {
  std::ranges::sort(images);
  const auto repeated = std::ranges::unique(images);
  images.erase(repeated.begin(), repeated.end());
  images.resize(std::min(images.size(), kImageKeysMax));
  const auto known = state.nodes.images.find(node);
  const bool is_news =
      known == state.nodes.images.end() ? !images.empty() : known->second != images;
  if (is_news) events.push_back(NodeImagesChanged{node, std::move(images)});
}

}  // namespace

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const ReportNode& command) {
  const Instant at = envelope.at;
  const Node& node = *GP_TRY(LiveNode(state, command.node));
  if (command.incarnation != node.incarnation) {
    return Fail(Conflict("stale report of node " + node.facts->name + ": join again"));
  }
  Events events;
  if (node.condition == NodeCondition::kLost) events.push_back(NodeReturned{node.id});
  ObserveLeases(state, at, node, command.leases, false, events);
  ObserveGpus(state, at, node, command.gpus, events);
  if (command.images) ObserveImages(state, node.id, *command.images, events);
  return events;
}

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const ExpireHeartbeat& command) {
  const Instant at = envelope.at;
  const Node& node = *GP_TRY(LiveNode(state, command.node));
  Events events;
  if (node.condition == NodeCondition::kLost) return events;
  events.push_back(NodeLost{node.id});
  LoseGpus(node, "its node stopped answering", events);
  const bool may_drain =
      !node.draining && !IsInMaintenance(state, node, at) && !IsBreakerOpen(state, node.pool);
  if (may_drain && IsLemon(state, node, at)) {
    DrainWithIncident(
        node, {state.faults.last_incident + 1}, at,
        "it stopped answering again, and fails more often than other nodes: it takes no new work",
        events);
  }
  return events;
}

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const DeclareNodeLost& command) {
  const Instant at = envelope.at;
  const Node& node = *GP_TRY(LiveNode(state, command.node));
  if (node.condition != NodeCondition::kLost) {
    return Fail(Conflict("node " + node.facts->name +
                         " answers: only a node that is LOST can be declared lost"));
  }
  Events events;
  for (const LeaseId id : node.leases) {
    EndLease(state, at, *state.FindLease(id),
             {LeaseEnd::kNodeLost, 0, 0, "node declared lost: " + Printable(command.reason)},
             events);
  }
  return events;
}
AuditWords WordsFor(const State& state, const Events&, const DeclareNodeLost& command) {
  return {"DeclareNodeLost", NodeName(state, command.node), command.reason};
}

}  // namespace gp
