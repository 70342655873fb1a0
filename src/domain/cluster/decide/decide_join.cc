#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/decide/decide.h"
#include "domain/cluster/decide/decide_fault.h"
#include "domain/cluster/decide/decide_parts.h"
#include "domain/cluster/nodes/faults.h"
#include "domain/cluster/nodes/node_hardware.h"

namespace gp {
namespace {

// Minimum time between notes of one machine's refusals: its agent retries every two seconds.
constexpr Duration kRefusalNoted = Duration::Minutes(1);

// Leases of the node that its agent still holds by its own report.
std::vector<const Lease*> HeldOn(const State& state, const Node& node, const JoinNode& join) {
  std::vector<const Lease*> held;
  for (const LeaseId id : node.leases) {
    const auto seen = std::ranges::find(join.leases, id, &LeaseObservation::lease);
    const Lease& lease = *state.FindLease(id);
    const bool lives = seen != join.leases.end()
                           ? !seen->ended
                           : !join.fresh && lease.phase == LeasePhase::kGranted;
    if (lives) held.push_back(&lease);
  }
  return held;
}

// Why a machine may not join.
struct JoinRefusal {
  const Node& node;   // whose name or GPU the machine claims; it stays as it is
  std::string cause;  // of the incident
  std::string what;   // a step of the incident
  Error error;        // for the machine itself
};

// Opens or notes an incident on the node about both machines instead of the error, at most once a
// minute.
Result<Events> Refuse(const State& state, Instant at, JoinRefusal refusal) {
  const auto open = std::ranges::find_if(state.faults.incidents, [&](const auto& entry) {
    return entry.second.cause == refusal.cause && entry.second.state != IncidentState::kClosed;
  });
  Events events;
  if (open == state.faults.incidents.end()) {
    events.push_back(IncidentOpened{NewNodeIncident(refusal.node, {state.faults.last_incident + 1},
                                                    at, refusal.cause, refusal.what)});
    return events;
  }
  if (at - open->second.last_at >= kRefusalNoted) {
    events.push_back(IncidentNoted{open->first, refusal.what, 1, GpuRemedy::kNone, false, {}, 0});
    return events;
  }
  return Fail(std::move(refusal.error));
}

JoinRefusal NameTaken(const Node& node, const NodeFacts& facts) {
  const std::string gpu = facts.gpus.empty() ? "no GPUs" : "GPU " + facts.gpus.front().uuid;
  return {node, "two machines are named " + facts.name,
          "another machine joins as node " + facts.name + ", with " + gpu + "; it is refused",
          Conflict("another machine is node " + facts.name +
                   ": give this one a name of its own (gpu-platform agent --name)")};
}

// Positions in other nodes of the GPUs of a machine that joins.
struct Elsewhere {
  std::vector<GpuKey> moved;  // from there, with their marks
  // The joining node has them too: the entries of the other node are out of date
  std::vector<GpuKey> stale;
};

std::vector<GpuKey> PlacesOf(const State& state, const std::string& uuid) {
  std::vector<GpuKey> places;
  for (auto known = state.nodes.gpus_by_uuid.lower_bound({uuid, {}});
       known != state.nodes.gpus_by_uuid.end() && known->first == uuid; ++known) {
    places.push_back(known->second);
  }
  return places;
}

bool HasInService(const NodeFacts& facts, const std::string& uuid) {
  const int gpu = facts.PositionOf(uuid);
  return gpu >= 0 && facts.gpus[static_cast<size_t>(gpu)].presence == GpuPresence::kPresent;
}

bool HasLeft(const State& state, const GpuKey& key) {
  const Node& node = *state.FindNode(key.node);
  const auto gpu = static_cast<size_t>(key.gpu);
  const bool is_gone = node.condition == NodeCondition::kLost ||
                       node.facts->gpus[gpu].presence != GpuPresence::kPresent;
  return is_gone && node.gpus[gpu].leases.empty();
}

// The first GPU of a machine that is still in another node.  `node`: the joining node; nullptr: a
// new one.
std::optional<GpuKey> FindStillElsewhere(const State& state, const Node* node,
                                         const NodeFacts& facts) {
  for (const GpuFacts& gpu : facts.gpus) {
    for (const GpuKey& key : PlacesOf(state, gpu.uuid)) {
      if ((node == nullptr || key.node != node->id) && !HasLeft(state, key)) return key;
    }
  }
  return std::nullopt;
}

JoinRefusal GpuTaken(const State& state, const GpuKey& key, const std::string& name) {
  const Node& holder = *state.FindNode(key.node);
  const std::string& uuid = holder.facts->gpus[static_cast<size_t>(key.gpu)].uuid;
  const std::vector<LeaseId>& leases = holder.gpus[static_cast<size_t>(key.gpu)].leases;
  const std::string held =
      leases.empty() ? "" : " by " + NameOf(state, state.FindLease(leases.front())->job);
  const std::string what =
      leases.empty() ? "GPU " + uuid + " is in node " + holder.facts->name + ", which answers"
                     : "GPU " + uuid + " is held in node " + holder.facts->name + held;
  const std::string hint =
      leases.empty()
          ? ""
          : ": end it there first (gpu-platform nodes declare-lost, where that node is gone)";
  return {holder, "GPU " + uuid + " is in two nodes: " + holder.facts->name + " and " + name,
          "node " + name + " joins with it and is refused: " + what,
          Conflict("node " + name + ": " + what + hint)};
}

// `node`: the joining node; nullptr: a new one.  REQUIRES: none of the GPUs is still elsewhere.
Elsewhere FindElsewhere(const State& state, const Node* node, const NodeFacts& facts) {
  Elsewhere elsewhere;
  for (const GpuFacts& gpu : facts.gpus) {
    bool is_here = node != nullptr && HasInService(*node->facts, gpu.uuid);
    for (const GpuKey& key : PlacesOf(state, gpu.uuid)) {
      if (node != nullptr && key.node == node->id) continue;
      (std::exchange(is_here, true) ? elsewhere.stale : elsewhere.moved).push_back(key);
    }
  }
  return elsewhere;
}

// Whether the MIG division of a held GPU has changed.
bool HasNewDivision(const Node& node, const NodeFacts& reported) {
  for (size_t i = 0; i < node.gpus.size(); ++i) {
    if (!node.gpus[i].leases.empty() && node.facts->gpus[i].mig != reported.gpus[i].mig)
      return true;
  }
  return false;
}

void MoveGpus(const State& state, NodeId node, const NodeFacts& facts, const Elsewhere& elsewhere,
              Events& events) {
  for (const GpuKey& gpu : elsewhere.stale) events.push_back(GpuRetired{gpu});
  for (const GpuKey& from : elsewhere.moved) {
    const std::string& uuid =
        state.FindNode(from.node)->facts->gpus[static_cast<size_t>(from.gpu)].uuid;
    events.push_back(GpuMoved{from, {node, facts.PositionOf(uuid)}});
  }
}

// An operator who installs a GPU wants it used: no breaker holds its test back.
GpuRemedyChanged OrderTest(NodeId node, int gpu) {
  GpuRemedyChanged test;
  test.node = node;
  test.gpu = gpu;
  test.remedy = GpuRemedy::kTest;
  test.is_requested = true;
  return test;
}

// A moved GPU is tested in its new node, unless it already has a stronger remedy.
void TestMoved(const State& state, NodeId node, const NodeFacts& facts, const Elsewhere& elsewhere,
               Events& events) {
  for (const GpuKey& from : elsewhere.moved) {
    const GpuTrouble* trouble = FindTrouble(state, from);
    if (trouble != nullptr && trouble->remedy >= GpuRemedy::kTest) continue;
    const std::string& uuid =
        state.FindNode(from.node)->facts->gpus[static_cast<size_t>(from.gpu)].uuid;
    events.push_back(OrderTest(node, facts.PositionOf(uuid)));
  }
}

// Tests GPUs that no node has had, or that were retired.  GPUs of a new node are judged by their
// readings.
void TestNew(const State& state, const Node& node, const NodeFacts& facts, Events& events) {
  for (size_t i = 0; i < facts.gpus.size(); ++i) {
    const GpuFacts& gpu = facts.gpus[i];
    const GpuFacts* before = i < node.facts->gpus.size() ? &node.facts->gpus[i] : nullptr;
    const bool was_here =
        before != nullptr && before->uuid == gpu.uuid && before->presence != GpuPresence::kRetired;
    if (was_here || gpu.presence != GpuPresence::kPresent || !PlacesOf(state, gpu.uuid).empty())
      continue;
    events.push_back(OrderTest(node.id, static_cast<int>(i)));
  }
}

// Closes the incident of a missing GPU that is back, if an operator keeps the GPU out of service.
void EndAbsences(const State& state, const Node& node, const NodeFacts& facts, Events& events) {
  for (size_t i = 0; i < node.gpus.size(); ++i) {
    const bool is_back = node.facts->gpus[i].presence == GpuPresence::kMissing &&
                         facts.gpus[i].presence == GpuPresence::kPresent;
    if (!is_back || node.gpus[i].condition != GpuCondition::kOffline) continue;
    const int gpu = static_cast<int>(i);
    const GpuTrouble* trouble = FindTrouble(state, {node.id, gpu});
    if (trouble == nullptr || trouble->remedy != GpuRemedy::kTest || trouble->is_requested)
      continue;
    const auto incident = state.faults.incidents.find(trouble->incident);
    events.push_back(GpuRemedyChanged{node.id, gpu, GpuRemedy::kNone, {}, false});
    if (incident == state.faults.incidents.end() || incident->second.cause != kCauseMissing)
      continue;
    events.push_back(IncidentChanged{incident->first, IncidentState::kClosed, "the controller",
                                     "it is back, and stays out of service"});
  }
}

// After a reinstallation a machine may count its agents from a lower number, if its clock is
// behind.  With nothing held, a late join does no harm: the newer agent joins again.
bool MayStartFresh(const Node& node, const JoinNode& join) {
  return join.fresh && node.condition == NodeCondition::kLost && node.leases.empty();
}

Events JoinNew(const State& state, const JoinNode& command) {
  const NodeId id{static_cast<uint32_t>(state.nodes.all.size())};
  const Elsewhere elsewhere = FindElsewhere(state, nullptr, *command.facts);
  Events events{NodeJoined{id, command.facts, command.incarnation}};
  MoveGpus(state, id, *command.facts, elsewhere, events);
  TestMoved(state, id, *command.facts, elsewhere, events);
  return events;
}

// The agent's observations, with the node's GPU numbers.
std::vector<LeaseObservation> WithUseOf(const NodeFacts& facts, const JoinNode& join) {
  std::vector<LeaseObservation> leases = join.leases;
  for (LeaseObservation& lease : leases) {
    for (GpuUse& use : lease.use.gpus) {
      const bool is_known = use.gpu >= 0 && use.gpu < static_cast<int>(join.facts->gpus.size());
      use.gpu =
          is_known ? facts.PositionOf(join.facts->gpus[static_cast<size_t>(use.gpu)].uuid) : -1;
    }
    std::erase_if(lease.use.gpus, [](const GpuUse& use) { return use.gpu < 0; });
    std::ranges::sort(lease.use.gpus, {}, &GpuUse::gpu);
  }
  return leases;
}

// The node joins with other GPUs, cores or memory than before.
Result<Events> JoinChanged(const State& state, Instant at, const Node& node,
                           const JoinNode& command) {
  const HardwareChange change =
      GP_TRY(MergeHardware(node, *command.facts, HeldOn(state, node, command)));
  const Elsewhere elsewhere = FindElsewhere(state, &node, *command.facts);
  Events events{NodeJoined{node.id, std::make_shared<const NodeFacts>(change.facts),
                           command.incarnation, true}};
  MoveGpus(state, node.id, change.facts, elsewhere, events);
  TestMoved(state, node.id, change.facts, elsewhere, events);
  TestNew(state, node, change.facts, events);
  EndAbsences(state, node, change.facts, events);
  ObserveLeases(state, at, node, WithUseOf(change.facts, command), command.fresh, events);
  FaultDecider decider(state, at, node, events);
  for (const int gpu : change.missing) decider.HandleMissing(gpu);
  for (const int gpu : change.divided)
    decider.StopAllTenants(gpu, "its division into MIG instances was changed while it was held");
  return events;
}

Result<Events> JoinKnown(const State& state, Instant at, const Node& node,
                         const JoinNode& command) {
  if (!node.facts->HasGpusOf(*command.facts) || node.facts->numa != command.facts->numa ||
      HasNewDivision(node, *command.facts)) {
    return JoinChanged(state, at, node, command);
  }
  const Elsewhere elsewhere = FindElsewhere(state, &node, *command.facts);
  Events events{NodeJoined{node.id, command.facts, command.incarnation}};
  MoveGpus(state, node.id, *command.facts, elsewhere, events);
  ObserveLeases(state, at, node, command.leases, command.fresh, events);
  return events;
}

}  // namespace

bool IsOfLineage(const State& state, const JoinNode& join) {
  return join.lineage == state.lineage || (join.lineage == 0 && join.fresh);
}

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const JoinNode& command) {
  const Instant at = envelope.at;
  GP_CHECK_OK(ValidateNodeFacts(*command.facts));
  if (!IsOfLineage(state, command)) {
    return Fail(Conflict("node " + command.facts->name +
                         " keeps attempts of another journal: it must end them first"));
  }
  const auto known = state.nodes.by_name.find(command.facts->name);
  const Node* same_name =
      known == state.nodes.by_name.end() ? nullptr : state.FindNode(known->second);
  if (same_name != nullptr && !IsSameMachine(*same_name->facts, *command.facts)) {
    // A machine that does not answer and holds nothing has been replaced.
    const bool is_gone = same_name->condition != NodeCondition::kUp && same_name->leases.empty();
    if (!is_gone) return Refuse(state, at, NameTaken(*same_name, *command.facts));
  } else if (same_name != nullptr && command.incarnation < same_name->incarnation &&
             !MayStartFresh(*same_name, command)) {
    return Fail(Conflict("node " + command.facts->name +
                         " has joined with a newer agent: this one must stop"));
  }
  const auto elsewhere = FindStillElsewhere(state, same_name, *command.facts);
  if (elsewhere) return Refuse(state, at, GpuTaken(state, *elsewhere, command.facts->name));
  return same_name == nullptr ? JoinNew(state, command) : JoinKnown(state, at, *same_name, command);
}

}  // namespace gp
