#include <algorithm>
#include <ranges>

#include "domain/cluster/apply/apply_parts.h"
#include "domain/cluster/nodes/faults.h"

namespace gp {
namespace {

// Changes the trouble of a GPU, and removes it once it is empty.
template <typename Change>
void ChangeTrouble(State& state, const GpuKey& key, Change change) {
  GpuTrouble& trouble = state.faults.troubles[key];
  state.faults.IndexTrouble(key, trouble, -1);
  change(trouble);
  state.faults.IndexTrouble(key, trouble, 1);
  if (IsEmpty(trouble)) state.faults.troubles.erase(key);
}

template <typename Change>
void ChangeIncidentOf(State& state, IncidentId id, Change change) {
  const auto found = state.faults.incidents.find(id);
  if (found == state.faults.incidents.end()) return;  // already forgotten
  state.faults.IndexIncident(state.policy.faults, found->second, false);
  change(found->second);
  state.faults.IndexIncident(state.policy.faults, found->second, true);
}

// Only the first and the newest mark of each XID are needed, so that a program's crash loop does
// not displace other XIDs.
void AddMark(std::vector<XidMark>& marks, const XidMark& mark) {
  const auto is_same = [&](const XidMark& before) { return before.xid == mark.xid; };
  if (std::ranges::count_if(marks, is_same) >= 2) {
    marks.erase(std::ranges::find_if(marks | std::views::reverse, is_same).base() - 1);
  } else if (marks.size() >= kMarksMax) {
    marks.erase(marks.begin());
  }
  marks.push_back(mark);
}

void AddStep(Incident& incident, Instant at, const std::string& what) {
  if (what.empty()) return;
  // Drops a step in the middle: the first and the last steps say most.
  if (incident.steps.size() >= kIncidentStepsMax)
    incident.steps.erase(incident.steps.begin() + kIncidentStepsMax / 2);
  incident.steps.push_back({at, what});
}

void AddJobs(Incident& incident, const std::vector<JobId>& jobs) {
  for (const JobId job : jobs) {
    ++incident.jobs_hit;
    if (incident.jobs.size() < kIncidentJobsMax) incident.jobs.push_back(job);
  }
}

void ForgetOldest(State& state) {
  while (state.faults.closed_incidents.size() > kIncidentsKept) {
    const IncidentId oldest = state.faults.closed_incidents.begin()->second;
    state.faults.closed_incidents.erase(state.faults.closed_incidents.begin());
    state.faults.incidents.erase(oldest);
  }
}

}  // namespace

void NoteFailure(const State& state, Node& node, Instant at) {
  if (!IsAnotherFailure(node, at)) return;
  std::erase_if(node.failures,
                [&](Instant failed) { return at - failed > state.policy.faults.lemon_window; });
  if (node.failures.size() >= kFailuresMax) node.failures.erase(node.failures.begin());
  node.failures.push_back(at);
}

void DropTroubles(State& state, NodeId node) {
  auto next = state.faults.troubles.lower_bound({node, 0});
  while (next != state.faults.troubles.end() && next->first.node == node) {
    state.faults.IndexTrouble(next->first, next->second, -1);
    next = state.faults.troubles.erase(next);
  }
}

void DropTrouble(State& state, const GpuKey& gpu) {
  const auto trouble = state.faults.troubles.find(gpu);
  if (trouble == state.faults.troubles.end()) return;
  state.faults.IndexTrouble(gpu, trouble->second, -1);
  state.faults.troubles.erase(trouble);
}

void MoveTrouble(State& state, const GpuKey& from, const GpuKey& to) {
  const Node& before = *state.FindNode(from.node);
  const Node& now = *state.FindNode(to.node);
  const std::string& uuid = before.facts->gpus[static_cast<size_t>(from.gpu)].uuid;
  for (auto& [id, incident] : state.faults.incidents) {
    if (incident.node != before.facts->name || incident.uuid != uuid) continue;
    incident.node = now.facts->name;
    incident.gpu = to.gpu;
    incident.pool = now.pool;
  }
  const auto trouble = state.faults.troubles.find(from);
  if (trouble == state.faults.troubles.end()) return;
  GpuTrouble moved = trouble->second;
  moved.task = GpuTask::kNone;  // the task belonged to the agent of the other node
  DropTrouble(state, from);
  DropTrouble(state, to);
  state.faults.IndexTrouble(to, moved, 1);
  if (!IsEmpty(moved)) state.faults.troubles[to] = std::move(moved);
}

void ApplyEvent(State& state, Instant at, const FaultSeen& event) {
  Node& node = NodeOf(state, event.node);
  node.signals_seen = std::max(node.signals_seen, event.number);
  if (event.gpu < 0) return;
  const Duration errors_kept = state.policy.faults.error_window;
  ChangeTrouble(state, {event.node, event.gpu}, [&](GpuTrouble& trouble) {
    std::erase_if(trouble.xids, [&](const XidMark& mark) { return at - mark.at > kMarksKept; });
    std::erase_if(trouble.errors,
                  [&](const UserError& error) { return at - error.at > errors_kept; });
    if (at - trouble.hot_at > kHotTogether) trouble.hot_at = {};
    if (at - trouble.out_of_service_at > state.policy.faults.breaker_window)
      trouble.out_of_service_at = {};
    if (event.is_hot) trouble.hot_at = at;
    if (event.xid != 0) AddMark(trouble.xids, {event.xid, at});
    if (event.error) {
      if (trouble.errors.size() >= kErrorsMax) trouble.errors.erase(trouble.errors.begin());
      trouble.errors.push_back(*event.error);
    }
  });
}

void ApplyEvent(State& state, Instant, const GpuHealthChanged& event) {
  ChangeTrouble(state, {event.node, event.gpu},
                [&](GpuTrouble& trouble) { trouble.findings = event.findings; });
}

void ApplyEvent(State& state, Instant, const JobXidNoted& event) {
  Job& job = JobOf(state, event.job);
  if (job.xids.size() >= kXidNotesMax) job.xids.erase(job.xids.begin());
  job.xids.push_back(event.note);
}

void ApplyEvent(State& state, Instant at, const IncidentOpened& event) {
  state.faults.last_incident = event.incident.id.value;
  Incident incident = event.incident;
  for (IncidentStep& step : incident.steps) step.at = at;
  if (incident.gpu >= 0 && IsHardwareFailure(incident.remedy))
    NoteFailure(state, NodeOf(state, state.nodes.by_name.at(incident.node)), at);
  state.faults.IndexIncident(state.policy.faults, incident, true);
  state.faults.incidents[incident.id] = std::move(incident);
  ForgetOldest(state);
}

void ApplyEvent(State& state, Instant at, const IncidentNoted& event) {
  ChangeIncidentOf(state, event.incident, [&](Incident& incident) {
    AddStep(incident, at, event.what);
    AddJobs(incident, event.jobs);
    if (event.reports > 0) incident.last_at = at;
    incident.reports += event.reports;
    incident.remedy = std::max(incident.remedy, event.remedy);
    incident.needs_person = incident.needs_person || event.needs_person;
    incident.is_lasting = incident.is_lasting || event.is_lasting;
    incident.lost_gpu_ms += event.lost_gpu_ms;
  });
}

void ApplyEvent(State& state, Instant at, const IncidentChanged& event) {
  std::string pool;
  ChangeIncidentOf(state, event.incident, [&](Incident& incident) {
    incident.state = event.state;
    incident.person = event.person;
    if (!event.note.empty()) incident.note = event.note;
    if (event.state == IncidentState::kClosed) incident.closed_at = at;
    AddStep(incident, at,
            std::string(event.state == IncidentState::kClosed ? "closed by " : "acknowledged by ") +
                event.person);
    pool = incident.pool;
  });
  if (event.state != IncidentState::kClosed) return;
  const auto breaker = state.faults.breakers.find(pool);
  if (breaker != state.faults.breakers.end() && breaker->second == event.incident) {
    state.faults.breakers.erase(breaker);
    state.faults.out_of_service.erase(pool);
  }
  ForgetOldest(state);
}

void ApplyEvent(State& state, Instant at, const GpuRemedyChanged& event) {
  ChangeTrouble(state, {event.node, event.gpu}, [&](GpuTrouble& trouble) {
    trouble.remedy = event.remedy;
    trouble.incident = event.incident;
    trouble.is_requested = event.is_requested;
    if (event.takes_out_of_service) trouble.out_of_service_at = at;
  });
  if (!event.takes_out_of_service) return;
  std::vector<Instant>& taken = state.faults.out_of_service[state.FindNode(event.node)->pool];
  std::erase_if(taken,
                [&](Instant before) { return at - before > state.policy.faults.breaker_window; });
  taken.push_back(at);
}

void ApplyEvent(State& state, Instant at, const GpuTaskOrdered& event) {
  state.faults.last_task = event.number;
  ChangeTrouble(state, {event.node, event.gpu}, [&](GpuTrouble& trouble) {
    trouble.task = event.task;
    trouble.task_number = event.number;
    std::erase_if(trouble.resets, [&](Instant before) { return at - before > kResetsCounted; });
    if (event.by_itself && event.task == GpuTask::kReset) trouble.resets.push_back(at);
  });
}

void ApplyEvent(State& state, Instant, const GpuTaskEnded& event) {
  ChangeTrouble(state, {event.node, event.gpu}, [&](GpuTrouble& trouble) {
    trouble.task = GpuTask::kNone;
    if (event.is_sound) trouble.errors.clear();
    if (event.is_sound) trouble.findings.clear();
  });
}

void ApplyEvent(State& state, Instant, const BreakerOpened& event) {
  state.faults.breakers[event.pool] = event.incident;
}

}  // namespace gp
