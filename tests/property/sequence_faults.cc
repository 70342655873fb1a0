// Faults of GPUs in a generated life, as a node reports them, and the tasks that it is given.

#include <iterator>

#include "domain/cluster/nodes/faults.h"
#include "tests/property/sequence.h"

namespace gp {
namespace {

constexpr int kXids[] = {13, 13, 31, 31, 43,  45,  48,  63,  64, 74,
                         79, 92, 94, 95, 119, 142, 144, 154, 68, 1};

}  // namespace

// Only a node that the controller serves is heard; of the others the reports are sent later, which
// is the same.
bool Sequence::ReportFault(Machine& machine) {
  if (machine.session == 0 || machine.gpus.empty() || !machine.connected) return false;
  const NodeId id = *machine.agent.node();
  const Node& node = *ledger_.state().FindNode(id);
  ReportGpus report{id, machine.session, {}, {}};
  for (int i = rng_.Between(1, 3); i > 0; --i) {
    FaultSignal signal;
    // Sometimes one that was reported already
    signal.number = rng_.Chance(1, 8) ? signals_ : ++signals_;
    signal.gpu = machine.gpus[rng_.Below(machine.gpus.size())].gpu;
    signal.xid = kXids[rng_.Below(std::size(kXids))];
    if (rng_.Chance(1, 12)) signal.kind = static_cast<SignalKind>(rng_.Between(1, 3));
    signal.is_fatal = rng_.Chance(1, 2);
    if (rng_.Chance(1, 8)) signal.advice = static_cast<DriverAdvice>(rng_.Between(1, 6));
    if (signal.xid == 154) signal.reported = static_cast<DriverAdvice>(rng_.Between(1, 6));
    if (!node.leases.empty() && rng_.Chance(2, 3))
      signal.lease = node.leases[rng_.Below(node.leases.size())];
    signal.at = now_;
    report.signals.push_back(signal);
  }
  return Tell(report) != nullptr;
}

// The node has ended the tasks of its GPUs: most of them succeeded.
bool Sequence::EndTasks(Machine& machine, bool all_well) {
  if (machine.session == 0 || !machine.connected) return false;
  const NodeId id = *machine.agent.node();
  ReportGpus report{id, machine.session, {}, {}};
  for (const GpuObservation& seen : machine.gpus) {
    const GpuTrouble* trouble = FindTrouble(ledger_.state(), {id, seen.gpu});
    if (trouble == nullptr || trouble->task == GpuTask::kNone) continue;
    report.results.push_back(
        {seen.gpu, trouble->task_number, all_well || rng_.Chance(4, 5), "table"});
  }
  return !report.results.empty() && Tell(report) != nullptr;
}

bool Sequence::StepOfFaults() {
  Machine& machine = AnyMachine();
  const uint64_t dice = rng_.Below(10);
  if (dice < 4) return ReportFault(machine);
  if (dice < 8) return EndTasks(machine, false);
  if (ledger_.state().faults.incidents.empty()) return false;
  auto incident = ledger_.state().faults.incidents.begin();
  std::advance(incident, static_cast<int64_t>(rng_.Below(ledger_.state().faults.incidents.size())));
  return Tell(ChangeIncident{
             incident->first,
             rng_.Chance(1, 2) ? IncidentState::kAcknowledged : IncidentState::kClosed, "seen"}) !=
         nullptr;
}

// A person closes what is open and brings back what is out.
void Sequence::HealGpus() {
  std::vector<IncidentId> open;
  for (const auto& [id, incident] : ledger_.state().faults.incidents) {
    if (incident.state != IncidentState::kClosed) open.push_back(id);
  }
  for (const IncidentId id : open) Tell(ChangeIncident{id, IncidentState::kClosed, "healed"});
}

// What asks a person gets one.
bool Sequence::BringBack(Machine& machine) {
  if (!machine.agent.node()) return false;
  const NodeId id = *machine.agent.node();
  const Node& node = *ledger_.state().FindNode(id);
  if (IsBreakerOpen(ledger_.state(), node.pool)) HealGpus();
  bool is_out = node.draining;
  for (size_t gpu = 0; gpu < node.gpus.size(); ++gpu) {
    const GpuTrouble* trouble = FindTrouble(ledger_.state(), {id, static_cast<int>(gpu)});
    const bool waits = trouble != nullptr && trouble->remedy >= GpuRemedy::kOperator;
    is_out =
        is_out || node.gpus[gpu].condition == GpuCondition::kOffline ||
        (node.gpus[gpu].condition == GpuCondition::kQuarantined && (waits || trouble == nullptr));
  }
  const auto is_missing = [&](const Incident& incident) {
    return incident.node == node.facts->name && incident.gpu >= 0 &&
           node.facts->gpus[static_cast<size_t>(incident.gpu)].presence == GpuPresence::kMissing;
  };
  for (const auto& [incident_id, incident] : ledger_.state().faults.incidents) {
    if (incident.state == IncidentState::kClosed || !is_missing(incident)) continue;
    return Tell(ChangeIncident{incident_id, IncidentState::kClosed, "gone for good"}) != nullptr;
  }
  if (!is_out || node.condition != NodeCondition::kUp) return false;
  const std::vector<Event>* events =
      Tell(ChangeService{id, -1, ServiceAction::kOnline, false, "brought back"});
  return events != nullptr && !events->empty();
}

}  // namespace gp
