#include "simulation/world/healing.h"

#include <algorithm>

#include "base/ignore_result.h"
#include "domain/cluster/nodes/faults.h"
#include "domain/model/time_line.h"

namespace gp {
namespace {

// More than any reservation of a world is asked for ahead of its start.
constexpr Duration kReservedAheadMax = Duration::Minutes(60);

}  // namespace

void Healing::Begin() {
  world_.network.Heal();
  for (size_t i = 0; i < world_.hosts.size(); ++i) {
    AgentHost& host = *world_.hosts[i];
    if (world_.plan.hosts[i].is_stranger) host.PowerOff(true);
    if (gone_.contains(i) || world_.plan.hosts[i].is_stranger) continue;
    if (!host.hardware().ListsAll()) host.PowerOff(false);
    host.SleepUntil({});
    host.clock().SetWall();
    host.attempts().FailStartsUntil({});
    host.PowerOn();
    host.StartAgent();
    host.Wake();
    for (size_t gpu = 0; gpu < host.hardware().size(); ++gpu) {
      GpuDamage& damage = host.hardware().At(static_cast<int>(gpu));
      damage.resets_fail = false;
      damage.blind_since = {};
      damage.warmth = Warmth::kCool;
      // Where the driver reports nothing, only an operator can know of it.
      const bool is_silent = !world_.plan.hosts[i].tells_advice || !damage.needs_reset;
      if (is_silent && damage.is_unsound() && !damage.is_lost) host.Repair(static_cast<int>(gpu));
    }
  }
  world_.controllers.PowerOn();
  if (world_.store == nullptr) return;
  world_.store->StretchLeases({});
  for (size_t i = 0; i < world_.controllers.size(); ++i) world_.controllers.at(i).client()->Heal();
}

// nullptr: it is not in the machine that owns its node's name.
AgentHost* Healing::HostWith(const std::string& uuid, const Node& node) const {
  const auto [host, card] = world_.watch.places().at(uuid);
  const bool is_there = host == *world_.watch.HostNamed(node.facts->name) &&
                        world_.hosts[host]->hardware().IsInstalled(card);
  return is_there ? world_.hosts[host].get() : nullptr;
}

// Whether the incident's GPU does not come back.
bool Healing::IsOfNobody(const State& state, const Incident& incident) const {
  const auto node = state.nodes.by_name.find(incident.node);
  if (incident.uuid.empty() || node == state.nodes.by_name.end()) return false;
  return HostWith(incident.uuid, *state.FindNode(node->second)) == nullptr;
}

bool Healing::IsStrangers(const Node& node) const {
  const std::vector<GpuFacts>& gpus = node.facts->gpus;
  const auto is_ours = [&](const GpuFacts& gpu) {
    return gpu.presence == GpuPresence::kPresent && HostWith(gpu.uuid, node) != nullptr;
  };
  return std::ranges::none_of(gpus, is_ours);
}

void Healing::CareForNode(const State& state, const Node& node) {
  const size_t index = *world_.watch.HostNamed(node.facts->name);
  if (gone_.contains(index) || IsStrangers(node)) {
    if (node.condition == NodeCondition::kLost && !node.leases.empty())
      wishes_.push_back(DeclareNodeLost{node.id, "burnt"});
    return;
  }
  if (node.condition != NodeCondition::kUp) return;
  bool is_out = node.draining;
  for (size_t i = 0; i < node.gpus.size(); ++i) {
    const Gpu& gpu = node.gpus[i];
    const std::string& uuid = node.facts->gpus[i].uuid;
    AgentHost* host = HostWith(uuid, node);
    if (host == nullptr) continue;
    const int card = world_.watch.places().at(uuid).second;
    const GpuTrouble* trouble = FindTrouble(state, {node.id, static_cast<int>(i)});
    const bool waits = trouble == nullptr || trouble->remedy == GpuRemedy::kNone ||
                       trouble->remedy >= GpuRemedy::kOperator;
    const bool needs_hands = gpu.condition == GpuCondition::kOffline ||
                             (gpu.condition == GpuCondition::kQuarantined && waits) ||
                             gpu.condition == GpuCondition::kLost;
    if (needs_hands && host->hardware().At(card).is_unsound()) host->Repair(card);
    if (needs_hands) world_.watch.WasReset(index, card);
    is_out = is_out || gpu.draining || (needs_hands && gpu.condition != GpuCondition::kLost);
  }
  if (is_out)
    wishes_.push_back(ChangeService{node.id, -1, ServiceAction::kOnline, false, "repaired"});
}

std::string Healing::WaitsFor(const State& state, size_t jobs) const {
  if (state.jobs.all.size() < jobs) return "jobs that are not submitted yet";
  for (const auto& [id, job] : state.jobs.all) {
    if (!IsTerminal(job.state))
      return ToText(id) + ", which is " + Name(job.state) +
             (job.reason.empty() ? "" : ": " + job.reason);
  }
  for (const Node& node : state.nodes.all) {
    const size_t host = *world_.watch.HostNamed(node.facts->name);
    if (gone_.contains(host)) continue;
    const std::string& name = node.facts->name;
    if (node.condition != NodeCondition::kUp || node.draining)
      return "node " + name + ", which is out of service: " + node.reason;
    if (!node.leases.empty()) return "leases of node " + name;
    for (size_t i = 0; i < node.gpus.size(); ++i) {
      if (IsRetired(*node.facts, static_cast<int>(i))) continue;
      const Gpu& gpu = node.gpus[i];
      const std::string text = "GPU " + std::to_string(i) + " of " + name;
      if (!IsGrantable(gpu)) return text + ", which is " + Name(gpu.condition) + ": " + gpu.reason;
      const int card = world_.watch.places().at(node.facts->gpus[i].uuid).second;
      if (world_.hosts[host]->hardware().At(card).is_unsound())
        return text + ", which is in service but faulty";
    }
  }
  return world_.programs.alive().empty() ? "" : "programs that still run";
}

std::string Healing::GoRound(size_t jobs) {
  std::string waits_for = "the controller";
  wishes_.clear();
  IgnoreResult(world_.controllers.Read([&](const State& state) {
    waits_for = WaitsFor(state, jobs);
    for (const auto& [id, incident] : state.faults.incidents) {
      const bool is_left = incident.gpu < 0 || IsOfNobody(state, incident);
      if (incident.state != IncidentState::kClosed && is_left)
        wishes_.push_back(ChangeIncident{id, IncidentState::kClosed, "handled"});
    }
    for (const Node& node : state.nodes.all) CareForNode(state, node);
    for (const auto& [id, job] : state.jobs.all) {
      if (job.state == JobState::kHeld) wishes_.push_back(ReleaseJob{id});
    }
    // A reservation that a stepped clock has moved by hours would keep jobs without a time limit
    // off its nodes until then, and so would one that was asked for by a clock that is hours ahead.
    const Instant soon = world_.controllers.clock().Now() + kReservedAheadMax;
    for (const auto& [name, reservation] : state.reservations.all) {
      if (reservation.is_moved || WallOf(state.time, reservation.starts_at) > soon)
        wishes_.push_back(EndReservation{name});
    }
  }),
               "a controller that is down shows nothing");
  for (const Command& wish : wishes_) {
    if (const auto* release = std::get_if<ReleaseJob>(&wish))
      world_.watch.HoldAcknowledged(release->job, false);
    IgnoreResult(world_.controllers.Execute("user:root", "", wish), "a refusal is a legal answer");
  }
  return waits_for;
}

}  // namespace gp
