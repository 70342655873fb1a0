#include <algorithm>
#include <set>

#include "base/text.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/decide/decide_fault.h"
#include "domain/cluster/nodes/faults.h"

namespace gp {
namespace {

// Moves one GPU through its state machine; each step starts from the result of the previous one.
class GpuMover {
 public:
  GpuMover(const State& state, const GpuKey& key, Events& events)
      : GpuMover(key, GpuAt(state, key).condition, events) {}
  GpuMover(const GpuKey& key, GpuCondition condition, Events& events)
      : key_(key), events_(events), condition_(condition) {}

  bool To(GpuCondition to, const std::string& reason) {
    if (condition_ == to) return true;
    if (!CanBecome(condition_, to)) return false;
    events_.push_back(GpuConditionChanged{key_.node, key_.gpu, to, reason});
    condition_ = to;
    return true;
  }
  GpuCondition condition() const { return condition_; }

 private:
  const GpuKey key_;
  Events& events_;
  GpuCondition condition_;
};

void AskPerson(const GpuKey& key, const GpuTrouble& trouble, const std::string& what,
               Events& events) {
  events.push_back(
      GpuRemedyChanged{key.node, key.gpu, GpuRemedy::kOperator, trouble.incident, false});
  if (trouble.incident.value != 0)
    events.push_back(IncidentNoted{trouble.incident, what, 0, GpuRemedy::kOperator, true, {}, 0});
}

void OrderTest(const State& state, const GpuKey& key, const GpuTrouble& trouble, uint64_t number,
               Events& events) {
  GpuMover gpu(state, key, events);
  if (!gpu.To(GpuCondition::kTesting, "is being tested")) return;
  events.push_back(GpuTaskOrdered{key.node, key.gpu, GpuTask::kTest, number, true});
  if (trouble.incident.value != 0)
    events.push_back(
        IncidentNoted{trouble.incident, "test ordered", 0, GpuRemedy::kNone, false, {}, 0});
}

void OrderReset(const State& state, const GpuKey& key, const GpuTrouble& trouble, uint64_t number,
                Events& events) {
  GpuMover gpu(state, key, events);
  if (!gpu.To(GpuCondition::kQuarantined, "is to be reset") ||
      !gpu.To(GpuCondition::kResetting, "is being reset"))
    return;
  events.push_back(
      GpuTaskOrdered{key.node, key.gpu, GpuTask::kReset, number, !trouble.is_requested});
  if (trouble.incident.value != 0)
    events.push_back(
        IncidentNoted{trouble.incident, "reset ordered", 0, GpuRemedy::kNone, false, {}, 0});
}

void OpenBreaker(const State& state, Instant at, const std::string& pool, uint64_t id,
                 Events& events) {
  const int64_t taken = CountOutOfService(state, pool, at);
  Incident incident;
  incident.id = {id};
  incident.cause = std::to_string(taken) + " GPUs on " +
                   std::to_string(CountNodesOutOfService(state, pool, at)) + " nodes of pool " +
                   pool + " taken out within " + ToText(state.policy.faults.breaker_window);
  incident.pool = pool;
  incident.needs_person = true;
  incident.opened_at = incident.last_at = at;
  incident.steps = {
      {at, "no more automatic resets or drains in this pool until the incident is closed"}};
  events.push_back(IncidentOpened{incident});
  events.push_back(BreakerOpened{pool, incident.id});
}

bool IsResetBudgetSpent(const State& state, const GpuTrouble& trouble, Instant at) {
  const auto recent = std::ranges::count_if(
      trouble.resets, [&](Instant before) { return at - before <= kResetsCounted; });
  return recent >= state.policy.faults.resets_per_day;
}

// The number of tasks that earlier results of the same report have ordered.
uint64_t CountOrdered(const Events& events) {
  return static_cast<uint64_t>(std::ranges::count_if(
      events, [](const Event& event) { return std::holds_alternative<GpuTaskOrdered>(event); }));
}

// The reset succeeded: the test is next, unless a fault seen meanwhile requires more.
void FollowReset(const State& state, const GpuKey& key, const GpuTrouble& trouble, GpuMover& gpu,
                 Events& events) {
  const auto note = [&](const std::string& what) {
    if (trouble.incident.value != 0)
      events.push_back(IncidentNoted{trouble.incident, what, 0, GpuRemedy::kNone, false, {}, 0});
  };
  if (gpu.condition() == GpuCondition::kQuarantined) gpu.To(GpuCondition::kResetting, "");
  const bool answers = gpu.To(GpuCondition::kTesting, "is being tested after its reset");
  if (trouble.remedy > GpuRemedy::kReset) {
    gpu.To(GpuCondition::kQuarantined, "was reset; operator action required");
    note("was reset, which is not enough");
  } else if (answers) {
    events.push_back(GpuTaskOrdered{key.node, key.gpu, GpuTask::kTest,
                                    state.faults.last_task + 1 + CountOrdered(events), true});
    note("was reset; test ordered");
  } else {
    events.push_back(GpuRemedyChanged{key.node, key.gpu, GpuRemedy::kTest, trouble.incident, false,
                                      trouble.is_requested});
    note("was reset; is tested once it answers again");
  }
}

}  // namespace

void BeginRemedies(const State& state, Instant at, Events& events) {
  std::set<std::string> stopped;  // pools whose breaker opens now
  uint64_t last_task = state.faults.last_task;
  uint64_t last_incident = state.faults.last_incident;
  for (const GpuKey& key : state.faults.remedies) {
    if (!IsRemedyReady(state, key)) continue;
    const GpuTrouble& trouble = *FindTrouble(state, key);
    const std::string& pool = state.FindNode(key.node)->pool;
    if (trouble.remedy == GpuRemedy::kTest) {
      OrderTest(state, key, trouble, ++last_task, events);
      continue;
    }
    if (trouble.is_requested) {
      OrderReset(state, key, trouble, ++last_task, events);
    } else if (stopped.contains(pool)) {
      continue;
    } else if (IsBreakerDue(state, pool, at)) {
      stopped.insert(pool);
      OpenBreaker(state, at, pool, ++last_incident, events);
    } else if (IsResetBudgetSpent(state, trouble, at)) {
      AskPerson(
          key, trouble,
          "it was reset within a day already: the node may need a reboot, or the GPU a repair",
          events);
      GpuMover(state, key, events).To(GpuCondition::kQuarantined, "was reset within a day already");
    } else {
      OrderReset(state, key, trouble, ++last_task, events);
    }
  }
}

void EndIncidents(const State& state, Instant at, Events& events) {
  for (const auto& [due, id] : state.faults.incident_ends) {
    if (due > at) break;
    events.push_back(
        IncidentChanged{id, IncidentState::kClosed, "the controller", "nothing more was reported"});
    const Incident& incident = state.faults.incidents.at(id);
    const auto node = state.nodes.by_name.find(incident.node);
    if (node == state.nodes.by_name.end()) continue;
    const GpuKey key{node->second, incident.gpu};
    const GpuTrouble* trouble = FindTrouble(state, key);
    if (trouble != nullptr && trouble->incident == id)
      events.push_back(
          GpuRemedyChanged{key.node, key.gpu, trouble->remedy, {}, false, trouble->is_requested});
  }
}

void EndTask(const State& state, const GpuKey& key, const GpuDraft& draft,
             const GpuTaskResult& result, Events& events) {
  const GpuTrouble* trouble = &draft.trouble;
  if (trouble->task == GpuTask::kNone || trouble->task_number != result.number) return;
  events.push_back(
      GpuTaskEnded{key.node, key.gpu, result.number, result.ok && trouble->task == GpuTask::kTest});
  const std::string detail = Printable(result.detail, 200);
  GpuMover gpu(key, draft.condition, events);
  if (!result.ok) {
    const std::string what = std::string(Name(trouble->task)) + " failed: " + detail;
    AskPerson(key, *trouble, what, events);
    gpu.To(GpuCondition::kOffline, what);
    return;
  }
  if (trouble->task == GpuTask::kReset) return FollowReset(state, key, *trouble, gpu, events);
  if (!gpu.To(GpuCondition::kAvailable, "")) return;
  events.push_back(GpuRemedyChanged{key.node, key.gpu, GpuRemedy::kNone, {}, false});
  if (trouble->incident.value == 0) return;
  events.push_back(IncidentNoted{trouble->incident,
                                 "tested: " + (detail.empty() ? "sound" : detail),
                                 0,
                                 GpuRemedy::kNone,
                                 false,
                                 {},
                                 0});
  events.push_back(IncidentChanged{trouble->incident, IncidentState::kClosed, "the controller",
                                   "back in service"});
}

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const ChangeIncident& command) {
  const auto found = state.faults.incidents.find(command.incident);
  if (found == state.faults.incidents.end())
    return Fail(NotFound("no incident " + ToText(command.incident)));
  const Incident& incident = found->second;
  Events events;
  if (incident.state == IncidentState::kClosed)
    return Fail(Conflict(ToText(incident.id) + " is closed already"));
  if (command.to == IncidentState::kAcknowledged && incident.state == IncidentState::kAcknowledged)
    return events;
  if (command.to == IncidentState::kOpen)
    return Fail(InvalidArgument("an incident is not opened by hand"));
  const std::string person =
      envelope.origin.principal.substr(envelope.origin.principal.find(':') + 1);
  events.push_back(IncidentChanged{incident.id, command.to, person, Printable(command.note, 500)});
  if (command.to != IncidentState::kClosed) return events;
  // The GPU keeps its condition: `online` or `reset` bring it back.  A missing GPU is no longer
  // expected back.
  for (const auto& [key, trouble] : state.faults.troubles) {
    if (trouble.incident != incident.id) continue;
    const GpuFacts& facts = state.FindNode(key.node)->facts->gpus[static_cast<size_t>(key.gpu)];
    if (facts.presence == GpuPresence::kMissing) {
      const std::vector<LeaseId>& leases = GpuAt(state, key).leases;
      if (!leases.empty())
        return Fail(Conflict("GPU " + facts.uuid + " is missing, and " +
                             NameOf(state, state.FindLease(leases.front())->job) +
                             " still holds it: close " + ToText(incident.id) +
                             " when that has ended"));
      events.push_back(GpuRetired{key});
    } else {
      events.push_back(
          GpuRemedyChanged{key.node, key.gpu, trouble.remedy, {}, false, trouble.is_requested});
    }
  }
  return events;
}
AuditWords WordsFor(const State&, const Events&, const ChangeIncident& command) {
  return {"ChangeIncident", ToText(command.incident),
          std::string(Name(command.to)) + (command.note.empty() ? "" : ": " + command.note)};
}

}  // namespace gp
