#include "base/assert.h"
#include "domain/cluster/apply/assert_parts.h"

namespace gp {
namespace {

void CheckIncident(const State& state, IncidentId incident) {
  GP_ASSERT(incident.value > 0 && incident.value <= state.faults.last_incident,
            "an event names an incident that was opened");
}

}  // namespace

void CheckBefore(const State& state, const GpuHealthChanged& event) {
  GpuIn(state, event.node, event.gpu);
}
void CheckAfter(const State& state, const GpuHealthChanged& event) {
  const auto trouble = state.faults.troubles.find({event.node, event.gpu});
  const size_t findings =
      trouble == state.faults.troubles.end() ? 0 : trouble->second.findings.size();
  GP_ASSERT(findings == event.findings.size(), "a GPU has the findings of its newest readings");
}

void CheckBefore(const State& state, const FaultSeen& event) {
  if (event.gpu >= 0) GpuIn(state, event.node, event.gpu);
}
void CheckAfter(const State& state, const FaultSeen& event) {
  GP_ASSERT(NodeIn(state, event.node).signals_seen >= event.number, "a signal is seen once");
}

void CheckBefore(const State& state, const JobXidNoted& event) { JobIn(state, event.job); }
void CheckAfter(const State& state, const JobXidNoted& event) {
  const std::vector<XidNote>& notes = JobIn(state, event.job).xids;
  GP_ASSERT(!notes.empty() && notes.size() <= kXidNotesMax, "a job keeps its newest XIDs");
}

void CheckBefore(const State& state, const IncidentOpened& event) {
  GP_ASSERT(event.incident.id.value == state.faults.last_incident + 1,
            "incidents are numbered without gaps");
}
void CheckAfter(const State& state, const IncidentOpened& event) {
  GP_ASSERT(state.faults.last_incident == event.incident.id.value,
            "an incident's id is the newest");
  GP_ASSERT(state.faults.incidents.contains(event.incident.id), "an incident that opened is known");
}

void CheckBefore(const State& state, const IncidentNoted& event) {
  CheckIncident(state, event.incident);
  GP_ASSERT(event.reports >= 0 && event.lost_gpu_ms >= 0, "what is noted only adds up");
}
void CheckAfter(const State& state, const IncidentNoted& event) {
  const auto found = state.faults.incidents.find(event.incident);
  GP_ASSERT(
      found == state.faults.incidents.end() || !event.needs_person || found->second.needs_person,
      "an incident that needs an operator goes on to need one");
}

void CheckBefore(const State& state, const IncidentChanged& event) {
  CheckIncident(state, event.incident);
}
void CheckAfter(const State& state, const IncidentChanged& event) {
  const auto found = state.faults.incidents.find(event.incident);
  GP_ASSERT(found == state.faults.incidents.end() || found->second.state == event.state,
            "an incident is in the state of the event");
}

void CheckBefore(const State& state, const GpuRemedyChanged& event) {
  GpuIn(state, event.node, event.gpu);
  GP_ASSERT(event.incident.value <= state.faults.last_incident,
            "a remedy belongs to a known incident");
}
void CheckAfter(const State& state, const GpuRemedyChanged& event) {
  const auto trouble = state.faults.troubles.find({event.node, event.gpu});
  const GpuRemedy remedy =
      trouble == state.faults.troubles.end() ? GpuRemedy::kNone : trouble->second.remedy;
  GP_ASSERT(remedy == event.remedy, "a GPU has the remedy of the event");
}

void CheckBefore(const State& state, const GpuTaskOrdered& event) {
  GpuIn(state, event.node, event.gpu);
  GP_ASSERT(event.number > state.faults.last_task, "a task's number is never given twice");
}
void CheckAfter(const State& state, const GpuTaskOrdered& event) {
  GP_ASSERT(state.faults.last_task == event.number, "a task's number is the newest");
}

void CheckBefore(const State& state, const GpuTaskEnded& event) {
  GpuIn(state, event.node, event.gpu);
  GP_ASSERT(event.number <= state.faults.last_task, "only an ordered task ends");
}
void CheckAfter(const State& state, const GpuTaskEnded& event) {
  const auto trouble = state.faults.troubles.find({event.node, event.gpu});
  GP_ASSERT(trouble == state.faults.troubles.end() || trouble->second.task == GpuTask::kNone,
            "a task that ended is no longer ordered");
}

void CheckBefore(const State& state, const BreakerOpened& event) {
  CheckIncident(state, event.incident);
}
void CheckAfter(const State& state, const BreakerOpened& event) {
  GP_ASSERT(state.faults.breakers.at(event.pool) == event.incident,
            "a pool's breaker names its incident");
}

}  // namespace gp
