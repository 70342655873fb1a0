#include "domain/cluster/decide/decide_fault.h"

#include <algorithm>

#include "base/text.h"
#include "domain/cluster/nodes/faults.h"
#include "domain/faults/judge.h"

namespace gp {
namespace {

constexpr size_t kStepTextMax = 240;
constexpr int kHotGpusMin = 2;
constexpr int kSilentGpusMin = 2;
constexpr char kFabricErrors[] = "SXid";
constexpr char kImex[] = "the IMEX domain of its GPUs needs recovery";
constexpr char kUnlisted[] = "a GPU that the driver does not list has failed";

bool IsLoss(const FaultSignal& signal) {
  constexpr int kFellOffTheBus = 79;
  return signal.kind == SignalKind::kLost || signal.kind == SignalKind::kMissing ||
         (signal.kind == SignalKind::kXid && signal.xid == kFellOffTheBus);
}

// GPU quarantine: a remedy that stops the jobs of a GPU quarantines it until the remedy is done;
// with a milder one it is suspect and takes no new work.
GpuCondition ConditionFor(GpuRemedy remedy, bool is_lost) {
  if (is_lost) return GpuCondition::kLost;
  switch (remedy) {
    case GpuRemedy::kTest:
    case GpuRemedy::kDrainReset: return GpuCondition::kSuspect;
    case GpuRemedy::kNone:
    case GpuRemedy::kWatch:
    case GpuRemedy::kResetWhenIdle:
    case GpuRemedy::kReset:
    case GpuRemedy::kOperator:
    case GpuRemedy::kReboot: break;
  }
  return GpuCondition::kQuarantined;
}

bool TakesOutOfService(GpuRemedy remedy) { return remedy >= GpuRemedy::kReset; }

bool Has(const std::vector<HealthFinding>& findings, HealthCode code) {
  return std::ranges::find(findings, code, &HealthFinding::code) != findings.end();
}

std::string WordsOf(const FaultSignal& signal, const std::string& why) {
  return signal.text.empty() ? why : Printable(signal.text, kStepTextMax);
}

}  // namespace

Incident NewNodeIncident(const Node& node, IncidentId id, Instant at, const std::string& cause,
                         const std::string& what) {
  Incident incident;
  incident.id = id;
  incident.cause = cause;
  incident.pool = node.pool;
  incident.node = node.facts->name;
  incident.opened_at = incident.last_at = at;
  incident.reports = 1;
  incident.steps = {{at, what}};
  return incident;
}

void DrainWithIncident(const Node& node, IncidentId id, Instant at, const std::string& why,
                       Events& events) {
  Incident incident = NewNodeIncident(node, id, at, why, "drained automatically");
  incident.needs_person = true;
  incident.reports = 0;  // it was opened without a report
  events.push_back(NodeDrainChanged{node.id, true, why});
  events.push_back(IncidentOpened{std::move(incident)});
}

FaultDecider::FaultDecider(const State& state, Instant at, const Node& node, Events& events)
    : state_(state),
      at_(at),
      node_(node),
      events_(events),
      last_incident_(state.faults.last_incident) {
  for (const Event& event : events) {
    if (const auto* ended = std::get_if<LeaseEnded>(&event)) ended_.insert(ended->job);
  }
}

void FaultDecider::HandleSignal(const FaultSignal& signal) {
  if (signal.gpu >= static_cast<int>(node_.gpus.size()) || signal.number <= node_.signals_seen)
    return;
  if (signal.gpu < 0) return HandleNodeSignal(signal);
  if (IsRetired(*node_.facts, signal.gpu))
    return;  // from an agent that ran before the GPU left the node
  if (signal.kind == SignalKind::kFabric) return;  // does not belong to a GPU
  HandleGpuSignal(signal);
}

void FaultDecider::HandleMissing(int gpu) {
  FaultSignal signal;
  signal.number = 0;  // not a report of the node, whose agent may count from the start now
  signal.gpu = gpu;
  signal.kind = SignalKind::kMissing;
  signal.text = "GPU " + node_.facts->gpus[static_cast<size_t>(gpu)].uuid + " is missing: node " +
                node_.facts->name + " had " + std::to_string(node_.facts->CountGpus()) +
                " GPUs and joins without it";
  HandleGpuSignal(signal);
}

void FaultDecider::StopAllTenants(int gpu, const std::string& why) {
  Impact impact;
  for (const LeaseId lease : node_.gpus[static_cast<size_t>(gpu)].leases) {
    StopJob(*state_.FindJob(state_.FindLease(lease)->job),
            {TenantAction::kRestartAll, GpuRemedy::kNone, false, why},
            "GPU " + std::to_string(gpu) + " of node " + node_.facts->name, impact);
  }
}

void FaultDecider::HandleGpuSignal(const FaultSignal& signal) {
  Draft& draft = DraftOf(signal.gpu);
  const std::set<int> near = XidsNear(draft.trouble, at_, state_.policy.faults.correlate);
  const bool is_repeated =
      IsRepeated(draft.trouble, signal.xid, at_, state_.policy.faults.correlate);
  FaultVerdict verdict = gp::Judge(state_.policy.faults, signal, near, is_repeated);
  const Gpu& gpu = node_.gpus[static_cast<size_t>(signal.gpu)];
  // Clients of one MPS server fail together with it.
  if (verdict.tenants == TenantAction::kRestartNamed && gpu.mode == GpuMode::kMps)
    verdict.tenants = TenantAction::kRestartAll;
  const Job* named = FindNamed(gpu, signal);
  const auto error = NewError(draft, signal, verdict, named);
  const bool is_hot = signal.kind == SignalKind::kHot || signal.kind == SignalKind::kCritical;
  events_.push_back(FaultSeen{node_.id, signal.gpu, signal.number,
                              signal.kind == SignalKind::kXid ? signal.xid : 0, error, is_hot});
  if (is_hot) draft.trouble.hot_at = at_;
  if (signal.kind == SignalKind::kXid) draft.trouble.xids.push_back({signal.xid, at_});
  if (error) draft.trouble.errors.push_back(*error);
  if (error && verdict.remedy < GpuRemedy::kTest &&
      IsSuspicious(state_, {node_.id, signal.gpu}, draft.trouble, signal.xid, at_)) {
    verdict.remedy = GpuRemedy::kTest;
    verdict.why += ", of many users and more often than elsewhere";
  }
  const Impact impact = StopTenants(gpu, signal, verdict, named);
  const GpuFault fault{signal.gpu, WordsOf(signal, verdict.why), IsLoss(signal), false,
                       signal.kind == SignalKind::kMissing};
  const bool is_imex =
      signal.advice == DriverAdvice::kRecoverImex || signal.reported == DriverAdvice::kRecoverImex;
  if (verdict.is_of_node) RecordNodeIncident(is_imex ? kImex : verdict.why, fault.what, impact);
  ApplyVerdict(draft, fault, verdict, verdict.is_of_node ? Impact{} : impact);
  if (is_hot) CheckCooling();
}

// Records the incident, and combines the verdict's remedy with the present one.
void FaultDecider::ApplyVerdict(Draft& draft, const GpuFault& fault, const FaultVerdict& verdict,
                                const Impact& impact) {
  const IncidentId before = draft.trouble.incident;
  // A fault that ends no job and needs no remedy belongs to no incident: only its jobs note it.
  if (verdict.remedy != GpuRemedy::kNone || !impact.jobs.empty() || fault.is_lasting)
    RecordIncident(draft, fault, verdict, impact);
  const GpuRemedy remedy = verdict.remedy == GpuRemedy::kWatch ? GpuRemedy::kNone : verdict.remedy;
  // A GPU in its test has had all earlier remedies and only lacks a test.
  const bool is_again = draft.trouble.task == GpuTask::kTest && remedy >= GpuRemedy::kTest;
  const GpuRemedy next = Both(is_again ? GpuRemedy::kTest : draft.trouble.remedy, remedy);
  const bool is_new = next != draft.trouble.remedy;
  if (is_new || draft.trouble.incident != before) {
    const bool takes_out_of_service =
        TakesOutOfService(next) && !TakesOutOfService(draft.trouble.remedy);
    draft.trouble.remedy = next;
    events_.push_back(GpuRemedyChanged{node_.id, fault.gpu, draft.trouble.remedy,
                                       draft.trouble.incident, takes_out_of_service,
                                       draft.trouble.is_requested});
  }
  if (is_again) AbandonTest(draft, fault.gpu);
  if (is_new || is_again || fault.is_missing) UpdateCondition(draft, fault, verdict.why);
}

// Handles signals of the node's fabric, or of its kernel about a GPU that the node does not have.
void FaultDecider::HandleNodeSignal(const FaultSignal& signal) {
  const bool is_fabric = signal.kind == SignalKind::kFabric;
  if (!is_fabric && signal.kind != SignalKind::kLost) return;
  events_.push_back(
      FaultSeen{node_.id, -1, signal.number, is_fabric ? signal.xid : 0, std::nullopt, false});
  if (!is_fabric) return RecordNodeIncident(kUnlisted, WordsOf(signal, kUnlisted), {});
  const FaultVerdict verdict = Judge(state_.policy.faults, signal, {}, false);
  const std::string what = WordsOf(signal, verdict.why);
  if (verdict.is_of_node) {
    RecordNodeIncident(verdict.why, what, StopLinkedJobs(verdict));
    if (!MayDrain()) return;
    is_drained_ = true;
    events_.push_back(NodeDrainChanged{
        node_.id, true, verdict.why + ": reset its GPUs and NVSwitches together, or reboot it"});
  } else if (const auto open = FindNodeIncident(kFabricErrors)) {
    events_.push_back(IncidentNoted{*open, what, 1, GpuRemedy::kNone, false, {}, 0});
  }
}

// The fabric connects the GPUs of a node: leases with a single GPU do not need it.
FaultDecider::Impact FaultDecider::StopLinkedJobs(const FaultVerdict& verdict) {
  Impact impact;
  for (const LeaseId id : node_.leases) {
    const Lease& lease = *state_.FindLease(id);
    if (lease.gpus.size() > 1)
      StopJob(*state_.FindJob(lease.job), verdict, "node " + node_.facts->name, impact);
  }
  return impact;
}

void FaultDecider::HandleFindings(int gpu, const std::vector<HealthFinding>& findings) {
  Draft& draft = DraftOf(gpu);
  if (draft.trouble.task != GpuTask::kNone) return;  // its result decides
  const std::vector<HealthFinding> before = draft.trouble.findings;
  if (std::ranges::equal(before, findings, {}, &HealthFinding::code, &HealthFinding::code)) return;
  events_.push_back(GpuHealthChanged{node_.id, gpu, findings});
  draft.trouble.findings = findings;
  for (const HealthFinding& finding : findings) {
    if (!Has(before, finding.code)) HandleFinding(draft, gpu, finding);
  }
  if (findings.empty()) CloseHealthIncident(draft, gpu);
  if (Has(findings, HealthCode::kUnread)) CheckDriver();
}

void FaultDecider::HandleFinding(Draft& draft, int gpu, const HealthFinding& finding) {
  const HealthAction action = ActionOf(state_.policy.faults, finding.code);
  if (action == HealthAction::kNone) return;
  FaultVerdict verdict;
  verdict.remedy = RemedyOf(action);
  verdict.why = CauseOf(finding);
  // The present remedy already covers it.
  const GpuRemedy called_for = draft.trouble.remedy;
  if (called_for >= GpuRemedy::kTest && Both(called_for, verdict.remedy) == called_for) return;
  ApplyVerdict(draft, {gpu, ToText(finding), finding.code == HealthCode::kLost, true}, verdict, {});
}

// Closes an incident that was opened only because of readings.
void FaultDecider::CloseHealthIncident(Draft& draft, int gpu) {
  const auto found = state_.faults.incidents.find(draft.trouble.incident);
  if (draft.trouble.remedy != GpuRemedy::kNone || found == state_.faults.incidents.end()) return;
  if (!found->second.is_lasting || found->second.needs_person) return;
  draft.trouble.incident = {};
  events_.push_back(GpuRemedyChanged{node_.id, gpu, GpuRemedy::kNone, {}, false});
  events_.push_back(IncidentChanged{found->first, IncidentState::kClosed, "the controller",
                                    "its readings are healthy again"});
}

// If several GPUs of a node are too hot, the cause is the node's cooling.
void FaultDecider::CheckCooling() {
  int hot = 0;
  for (int gpu = 0; gpu < static_cast<int>(node_.gpus.size()); ++gpu) {
    const GpuTrouble* trouble = TroubleOf(gpu);
    hot += trouble != nullptr && trouble->hot_at.ns != 0 && at_ - trouble->hot_at <= kHotTogether
               ? 1
               : 0;
  }
  if (hot < kHotGpusMin) return;
  const std::string why = std::to_string(hot) + " of its GPUs were too hot within " +
                          ToText(kHotTogether) + ": look at its cooling";
  DrainFaultyNode(why);
}

const GpuTrouble* FaultDecider::TroubleOf(int gpu) const {
  const auto mine = drafts_.find(gpu);
  return mine != drafts_.end() ? &mine->second.trouble : FindTrouble(state_, {node_.id, gpu});
}

// After the loss of one GPU the others keep working.  If others of the node do not answer either,
// the driver, the power or the PCIe switches have failed.
void FaultDecider::CheckDriver() {
  int lost = 0;
  int silent = 0;
  for (int gpu = 0; gpu < static_cast<int>(node_.gpus.size()); ++gpu) {
    const GpuTrouble* trouble = TroubleOf(gpu);
    if (trouble == nullptr) continue;
    const bool is_lost = trouble->remedy == GpuRemedy::kReboot;
    lost += is_lost ? 1 : 0;
    silent += !is_lost && Has(trouble->findings, HealthCode::kUnread) ? 1 : 0;
  }
  if (lost == 0 || lost + silent < kSilentGpusMin) return;
  DrainFaultyNode(
      std::to_string(lost + silent) +
      " of its GPUs do not answer or need a reboot: look at its driver, its power and its "
      "PCIe switches");
}

void FaultDecider::HandleTaskResult(const GpuTaskResult& result) {
  if (result.gpu < 0 || result.gpu >= static_cast<int>(node_.gpus.size()) ||
      IsRetired(*node_.facts, result.gpu))
    return;
  Draft& draft = DraftOf(result.gpu);
  gp::EndTask(state_, {node_.id, result.gpu}, draft, result, events_);
  draft.trouble.task = GpuTask::kNone;  // only one result per task
}

// The GPU failed again during its test: the result of the test is out of date.
void FaultDecider::AbandonTest(Draft& draft, int gpu) {
  draft.trouble.task = GpuTask::kNone;
  events_.push_back(GpuTaskEnded{node_.id, gpu, draft.trouble.task_number, false});
}

// The GPU as if the events so far were applied: one command may carry several signals.
GpuDraft& FaultDecider::DraftOf(int gpu) {
  const auto [found, is_new] = drafts_.try_emplace(gpu);
  if (is_new) {
    found->second.condition = node_.gpus[static_cast<size_t>(gpu)].condition;
    if (const GpuTrouble* trouble = FindTrouble(state_, {node_.id, gpu}))
      found->second.trouble = *trouble;
  }
  return found->second;
}

// The job of the lease that the signal names; if it names none, the only job on the GPU.
const Job* FaultDecider::FindNamed(const Gpu& gpu, const FaultSignal& signal) const {
  const bool is_here = std::ranges::find(gpu.leases, signal.lease) != gpu.leases.end();
  if (!is_here && (signal.lease.value != 0 || gpu.leases.size() != 1)) return nullptr;
  return state_.FindJob(state_.FindLease(is_here ? signal.lease : gpu.leases.front())->job);
}

std::optional<UserError> FaultDecider::NewError(const Draft& draft, const FaultSignal& signal,
                                                const FaultVerdict& verdict,
                                                const Job* named) const {
  if (!verdict.counts || named == nullptr) return std::nullopt;
  const UserError error{signal.xid, named->user.name, DigestOf(*named->spec), at_};
  const FaultPolicy& policy = state_.policy.faults;
  int of_user = 0;
  for (const UserError& before : draft.trouble.errors) {
    if (before.xid != error.xid || before.user != error.user ||
        at_ - before.at > policy.error_window)
      continue;
    if (before.spec == error.spec) return std::nullopt;
    ++of_user;
  }
  return of_user < policy.suspect_errors_per_user ? std::optional(error) : std::nullopt;
}

FaultDecider::Impact FaultDecider::StopTenants(const Gpu& gpu, const FaultSignal& signal,
                                               const FaultVerdict& verdict, const Job* named) {
  Impact impact;
  if (verdict.tenants == TenantAction::kNone) return impact;
  // An error that ends a client of an MPS server also ends its innocent co-clients.
  const bool reaches_all = gpu.mode == GpuMode::kMps && signal.kind == SignalKind::kXid;
  // If no job is named, any of them may be the cause, and none is ended for that alone.
  const bool is_named_only = verdict.tenants <= TenantAction::kRestartNamed && !reaches_all;
  std::set<JobId> jobs;
  if (is_named_only && named != nullptr) {
    jobs.insert(named->id);
  } else {
    for (const LeaseId lease : gpu.leases) jobs.insert(state_.FindLease(lease)->job);
  }
  for (const JobId id : jobs) {
    const Job& job = *state_.FindJob(id);
    const bool is_linked = job.spec->resources.nodes * job.spec->resources.gpus.count > 1;
    const bool is_co_client = reaches_all && (named == nullptr || named->id != id);
    const bool is_ended = is_co_client || verdict.tenants == TenantAction::kRestartAll ||
                          (verdict.tenants == TenantAction::kRestartLinked && is_linked) ||
                          (verdict.tenants == TenantAction::kRestartNamed && named != nullptr);
    const bool is_forgiven = is_co_client || verdict.tenants >= TenantAction::kForgive;
    if (signal.kind == SignalKind::kXid) {
      events_.push_back(
          JobXidNoted{id, {job.attempt, signal.xid, node_.id, signal.gpu, is_forgiven, at_}});
    }
    if (is_ended)
      StopJob(job, verdict, "GPU " + std::to_string(signal.gpu) + " of node " + node_.facts->name,
              impact);
  }
  return impact;
}

// Without grace if the GPU has failed: a program cannot do useful work there.
void FaultDecider::StopJob(const Job& job, const FaultVerdict& verdict, const std::string& place,
                           Impact& impact) {
  const StopOrder order = verdict.with_grace ? StopOrder::kGraceful : StopOrder::kKill;
  const bool is_ordered = std::ranges::all_of(
      job.leases, [&](LeaseId id) { return state_.FindLease(id)->stop >= order; });
  if (is_ordered || !ended_.insert(job.id).second) return;
  const StopCause cause = job.stop == StopCause::kCancel || job.stop == StopCause::kTimeLimit
                              ? job.stop
                              : StopCause::kFault;
  events_.push_back(JobStopOrdered{job.id, cause, order, verdict.why + " on " + place});
  impact.jobs.push_back(job.id);
  const Instant since = WorkKeptUntil(job);
  impact.lost_gpu_ms += int64_t{job.spec->resources.nodes} * job.spec->resources.gpus.count *
                        (std::max<int64_t>((at_ - since).ns, 0) / 1'000'000);
}

void FaultDecider::CountImpact(const Impact& impact, Incident& incident) {
  incident.jobs = impact.jobs;
  incident.jobs.resize(std::min(incident.jobs.size(), kIncidentJobsMax));
  incident.jobs_hit = static_cast<int64_t>(impact.jobs.size());
  incident.lost_gpu_ms = impact.lost_gpu_ms;
}

void FaultDecider::RecordIncident(Draft& draft, const GpuFault& fault, const FaultVerdict& verdict,
                                  const Impact& impact) {
  const GpuRemedy remedy = verdict.remedy == GpuRemedy::kWatch ? GpuRemedy::kNone : verdict.remedy;
  const bool needs_person = verdict.remedy == GpuRemedy::kWatch ||
                            verdict.remedy >= GpuRemedy::kOperator || fault.is_missing;
  if (draft.trouble.incident.value != 0) {
    events_.push_back(IncidentNoted{draft.trouble.incident, fault.what, 1, remedy, needs_person,
                                    impact.jobs, impact.lost_gpu_ms, fault.is_lasting});
    return;
  }
  Incident incident = NewNodeIncident(node_, {++last_incident_}, at_, verdict.why, fault.what);
  incident.gpu = fault.gpu;
  incident.uuid = node_.facts->gpus[static_cast<size_t>(fault.gpu)].uuid;
  incident.remedy = remedy;
  incident.needs_person = needs_person;
  CountImpact(impact, incident);
  incident.is_lasting = fault.is_lasting;
  draft.trouble.incident = incident.id;
  events_.push_back(IncidentOpened{std::move(incident)});
  if (IsHardwareFailure(remedy) && IsLemon(state_, node_, at_))
    DrainFaultyNode("its hardware fails more often than that of other nodes: it takes no new work");
}

// Finds an open incident of the node whose cause begins with `kind`.
std::optional<IncidentId> FaultDecider::FindNodeIncident(const std::string& kind) const {
  if (const auto mine = node_incidents_.find(kind); mine != node_incidents_.end())
    return mine->second;
  for (const auto& [id, incident] : state_.faults.incidents) {
    const bool is_meant = incident.state != IncidentState::kClosed && incident.gpu < 0 &&
                          incident.node == node_.facts->name;
    if (is_meant && incident.cause.starts_with(kind)) return id;
  }
  return std::nullopt;
}

// Records a fault that belongs to no single GPU.  Errors of the fabric come in bursts of several
// numbers, and share one incident.
void FaultDecider::RecordNodeIncident(const std::string& cause, const std::string& what,
                                      const Impact& impact) {
  const std::string kind = cause.starts_with(kFabricErrors) ? kFabricErrors : cause;
  if (const auto open = FindNodeIncident(kind)) {
    events_.push_back(
        IncidentNoted{*open, what, 1, GpuRemedy::kNone, true, impact.jobs, impact.lost_gpu_ms});
    return;
  }
  node_incidents_[kind] = {++last_incident_};
  Incident incident = NewNodeIncident(node_, node_incidents_[kind], at_, cause, what);
  incident.needs_person = true;
  CountImpact(impact, incident);
  events_.push_back(IncidentOpened{std::move(incident)});
}

bool FaultDecider::MayDrain() const {
  return !node_.draining && !is_drained_ && !IsBreakerOpen(state_, node_.pool) &&
         !IsBreakerDue(state_, node_.pool, at_);
}

// The node itself is faulty: drains it if that is allowed.
void FaultDecider::DrainFaultyNode(const std::string& why) {
  if (!MayDrain()) return;
  is_drained_ = true;
  DrainWithIncident(node_, {++last_incident_}, at_, why, events_);
}

void FaultDecider::UpdateCondition(Draft& draft, const GpuFault& fault, const std::string& why) {
  if (draft.trouble.remedy != GpuRemedy::kResetWhenIdle) {
    const GpuCondition to = ConditionFor(draft.trouble.remedy, fault.is_lost);
    // An operator's decision stays, with its reason and the effect of `online`.
    const bool stays_offline = fault.is_missing && draft.condition == GpuCondition::kOffline;
    if (CanBecome(draft.condition, to) && !stays_offline) {
      events_.push_back(GpuConditionChanged{node_.id, fault.gpu, to, why});
      draft.condition = to;
    }
  }
  if (draft.trouble.remedy == GpuRemedy::kReboot) CheckDriver();
}

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const ReportGpus& command) {
  const Instant at = envelope.at;
  const Node* node = state.FindNode(command.node);
  if (node == nullptr)
    return Fail(NotFound("no node with id " + std::to_string(command.node.value)));
  if (command.incarnation != node->incarnation) {
    return Fail(Conflict("stale report of node " + node->facts->name + ": join again"));
  }
  Events events;
  FaultDecider decider(state, at, *node, events);
  for (const FaultSignal& signal : command.signals) decider.HandleSignal(signal);
  for (const GpuTaskResult& result : command.results) decider.HandleTaskResult(result);
  return events;
}

}  // namespace gp
