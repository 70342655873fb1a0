#include "domain/cluster/decide_fault.h"

#include <algorithm>

#include "base/text.h"
#include "domain/cluster/faults.h"
#include "domain/faults/judge.h"

namespace gp {
namespace {

constexpr size_t kStepTextMax = 240;
constexpr int kHotGpusMin = 2;

GpuCondition ConditionFor(GpuRemedy remedy, const FaultSignal& signal) {
  constexpr int kFellOffTheBus = 79;
  if (signal.kind == SignalKind::kLost || signal.kind == SignalKind::kMissing || (signal.kind == SignalKind::kXid && signal.xid == kFellOffTheBus)) return GpuCondition::kLost;
  switch (remedy) {
    case GpuRemedy::kTest:
    case GpuRemedy::kDrainReset: return GpuCondition::kSuspect;
    default: return GpuCondition::kQuarantined;
  }
}

bool TakesOut(GpuRemedy remedy) { return remedy >= GpuRemedy::kReset; }

}  // namespace

void DrainWithIncident(const Node& node, IncidentId id, Instant at, const std::string& why, Events& events) {
  Incident incident;
  incident.id = id;
  incident.cause = why;
  incident.pool = node.pool;
  incident.node = node.facts->name;
  incident.needs_person = true;
  incident.opened_at = incident.last_at = at;
  incident.steps = {{at, "drained by itself"}};
  events.push_back(NodeDrainChanged{node.id, true, why});
  events.push_back(IncidentOpened{std::move(incident)});
}

FaultDecider::FaultDecider(const State& state, Instant at, const Node& node, Events& events)
    : state_(state), at_(at), node_(node), events_(events), last_incident_(state.last_incident) {
  for (const Event& event : events) {
    if (const auto* ended = std::get_if<LeaseEnded>(&event)) ended_.insert(ended->job);
  }
}

void FaultDecider::See(const FaultSignal& signal) {
  if (signal.gpu < 0 || signal.gpu >= static_cast<int>(node_.gpus.size()) || signal.number <= node_.signals_seen) return;
  Judge(signal);
}

void FaultDecider::Miss(int gpu) {
  FaultSignal signal;
  signal.number = node_.signals_seen;  // no report of the node's
  signal.gpu = gpu;
  signal.kind = SignalKind::kMissing;
  signal.text = "GPU " + node_.facts->gpus[static_cast<size_t>(gpu)].uuid + " is missing: node " + node_.facts->name + " had " +
                std::to_string(node_.facts->CountGpus()) + " GPUs and joins without it";
  Judge(signal);
}

void FaultDecider::EndTenants(int gpu, const std::string& why) {
  Hit hit;
  for (const LeaseId lease : node_.gpus[static_cast<size_t>(gpu)].leases) {
    End(*state_.FindJob(state_.FindLease(lease)->job), {TenantAction::kRestartAll, GpuRemedy::kNone, false, why}, gpu, hit);
  }
}

void FaultDecider::Judge(const FaultSignal& signal) {
  Draft& draft = DraftOf(signal.gpu);
  const std::set<int> near = XidsNear(draft.trouble, at_, state_.policy.faults.correlate);
  const bool is_repeated = IsRepeated(draft.trouble, signal.xid, at_, state_.policy.faults.correlate);
  FaultVerdict verdict = gp::Judge(state_.policy.faults, signal, near, is_repeated);
  const Gpu& gpu = node_.gpus[static_cast<size_t>(signal.gpu)];
  // Clients of one MPS server share its fate.
  if (verdict.tenants == TenantAction::kRestartNamed && gpu.mode == GpuMode::kMps) verdict.tenants = TenantAction::kRestartAll;
  const Job* named = FindNamed(gpu, signal);
  const auto error = NewError(draft, signal, verdict, named);
  const bool is_hot = signal.kind == SignalKind::kHot || signal.kind == SignalKind::kCritical;
  events_.push_back(FaultSeen{node_.id, signal.gpu, signal.number, signal.kind == SignalKind::kXid ? signal.xid : 0, error, is_hot});
  if (is_hot) draft.trouble.hot_at = at_;
  if (signal.kind == SignalKind::kXid) draft.trouble.xids.push_back({signal.xid, at_});
  if (error) draft.trouble.errors.push_back(*error);
  if (error && verdict.remedy < GpuRemedy::kTest && IsSuspicious(state_, {node_.id, signal.gpu}, draft.trouble, signal.xid, at_)) {
    verdict.remedy = GpuRemedy::kTest;
    verdict.why += ", of many users and more often than elsewhere";
  }
  const Hit hit = HitTenants(gpu, signal, verdict, named);
  const IncidentId before = draft.trouble.incident;
  // Who ended nobody and calls for nothing is written down beside the jobs, and no more.
  if (verdict.remedy != GpuRemedy::kNone || !hit.jobs.empty()) Record(draft, signal, verdict, hit);
  const GpuRemedy remedy = verdict.remedy == GpuRemedy::kWatch ? GpuRemedy::kNone : verdict.remedy;
  // Whoever is being tested has had all else that was asked for before, and still lacks a test.
  const bool is_again = draft.trouble.task == GpuTask::kTest && remedy >= GpuRemedy::kTest;
  const GpuRemedy next = Both(is_again ? GpuRemedy::kTest : draft.trouble.remedy, remedy);
  const bool is_new = next != draft.trouble.remedy;
  if (is_new || draft.trouble.incident != before) {
    const bool takes_out = TakesOut(next) && !TakesOut(draft.trouble.remedy);
    draft.trouble.remedy = next;
    events_.push_back(GpuRemedyChanged{node_.id, signal.gpu, draft.trouble.remedy, draft.trouble.incident, takes_out, draft.trouble.is_asked});
  }
  if (is_again) AbandonTest(draft, signal);
  if (is_new || is_again) TakeOut(draft, signal, verdict.why);
  if (is_hot) MindCooling();
}

// Several GPUs of a node that are too hot have one cause, and it is none of theirs.
void FaultDecider::MindCooling() {
  int hot = 0;
  for (size_t gpu = 0; gpu < node_.gpus.size(); ++gpu) {
    const auto mine = drafts_.find(static_cast<int>(gpu));
    const GpuTrouble* trouble = mine != drafts_.end() ? &mine->second.trouble : FindTrouble(state_, {node_.id, static_cast<int>(gpu)});
    hot += trouble != nullptr && trouble->hot_at.ns != 0 && at_ - trouble->hot_at <= kHotTogether ? 1 : 0;
  }
  if (hot < kHotGpusMin) return;
  const std::string why = std::to_string(hot) + " of its GPUs were too hot within " + ToText(kHotTogether) + ": look at its cooling";
  MindNode(why);
}

void FaultDecider::EndTask(const GpuTaskResult& result) {
  if (result.gpu < 0 || result.gpu >= static_cast<int>(node_.gpus.size())) return;
  Draft& draft = DraftOf(result.gpu);
  gp::EndTask(state_, {node_.id, result.gpu}, draft, result, events_);
  draft.trouble.task = GpuTask::kNone;  // one result of each
}

// It failed again while it was tested: whatever the test says of it is out of date.
void FaultDecider::AbandonTest(Draft& draft, const FaultSignal& signal) {
  draft.trouble.task = GpuTask::kNone;
  events_.push_back(GpuTaskEnded{node_.id, signal.gpu, draft.trouble.task_number, false});
}

// As if its events had been applied: several reports may come at once.
FaultDecider::Draft& FaultDecider::DraftOf(int gpu) {
  const auto [found, is_new] = drafts_.try_emplace(gpu);
  if (is_new) {
    found->second.condition = node_.gpus[static_cast<size_t>(gpu)].condition;
    if (const GpuTrouble* trouble = FindTrouble(state_, {node_.id, gpu})) found->second.trouble = *trouble;
  }
  return found->second;
}

// Whose program the report names; where only one can be meant, that one.
const Job* FaultDecider::FindNamed(const Gpu& gpu, const FaultSignal& signal) const {
  const bool is_here = std::ranges::find(gpu.leases, signal.lease) != gpu.leases.end();
  if (!is_here && (signal.lease.value != 0 || gpu.leases.size() != 1)) return nullptr;
  return state_.FindJob(state_.FindLease(is_here ? signal.lease : gpu.leases.front())->job);
}

std::optional<UserError> FaultDecider::NewError(const Draft& draft, const FaultSignal& signal, const FaultVerdict& verdict, const Job* named) const {
  if (!verdict.counts || named == nullptr) return std::nullopt;
  const UserError error{signal.xid, named->user.name, DigestOf(*named->spec), at_};
  const FaultPolicy& policy = state_.policy.faults;
  int of_user = 0;
  for (const UserError& before : draft.trouble.errors) {
    if (before.xid != error.xid || before.user != error.user || at_ - before.at > policy.error_window) continue;
    if (before.spec == error.spec) return std::nullopt;
    ++of_user;
  }
  return of_user < policy.suspect_errors_per_user ? std::optional(error) : std::nullopt;
}

FaultDecider::Hit FaultDecider::HitTenants(const Gpu& gpu, const FaultSignal& signal, const FaultVerdict& verdict, const Job* named) {
  Hit hit;
  if (verdict.tenants == TenantAction::kNone) return hit;
  // What ends a client of an MPS server ends its co-clients too, which have done nothing.
  const bool reaches_all = gpu.mode == GpuMode::kMps && signal.kind == SignalKind::kXid;
  // Whoever is named by nobody may be any of them; none is ended for that alone.
  const bool is_named_only = verdict.tenants <= TenantAction::kRestartNamed && !reaches_all;
  std::set<JobId> jobs;
  if (is_named_only && named != nullptr) {
    jobs.insert(named->id);
  } else {
    for (const LeaseId lease : gpu.leases) jobs.insert(state_.FindLease(lease)->job);
  }
  for (const JobId id : jobs) {
    const Job& job = *state_.FindJob(id);
    const bool is_linked = job.spec->nodes * job.spec->gpus.count > 1;
    const bool is_co_client = reaches_all && (named == nullptr || named->id != id);
    const bool is_ended = is_co_client || verdict.tenants == TenantAction::kRestartAll || (verdict.tenants == TenantAction::kRestartLinked && is_linked) ||
                          (verdict.tenants == TenantAction::kRestartNamed && named != nullptr);
    const bool is_forgiven = is_co_client || verdict.tenants >= TenantAction::kForgive;
    if (signal.kind == SignalKind::kXid) {
      events_.push_back(JobXidNoted{id, {job.attempt, signal.xid, node_.id, signal.gpu, is_forgiven, at_}});
    }
    if (is_ended) End(job, verdict, signal.gpu, hit);
  }
  return hit;
}

// Without grace where the GPU has failed: nothing good comes of a program there.
void FaultDecider::End(const Job& job, const FaultVerdict& verdict, int gpu, Hit& hit) {
  const StopOrder order = verdict.with_grace ? StopOrder::kGraceful : StopOrder::kKill;
  const bool is_told = std::ranges::all_of(job.leases, [&](LeaseId id) { return state_.FindLease(id)->stop >= order; });
  if (is_told || !ended_.insert(job.id).second) return;
  const StopCause cause = job.stop == StopCause::kCancel || job.stop == StopCause::kTimeLimit ? job.stop : StopCause::kFault;
  events_.push_back(JobStopOrdered{job.id, cause, order,
                                   verdict.why + " on GPU " + std::to_string(gpu) + " of node " + node_.facts->name});
  hit.jobs.push_back(job.id);
  const Instant since = WorkKeptUntil(job);
  hit.lost_gpu_ms += int64_t{job.spec->nodes} * job.spec->gpus.count * (std::max<int64_t>((at_ - since).ns, 0) / 1'000'000);
}

void FaultDecider::Record(Draft& draft, const FaultSignal& signal, const FaultVerdict& verdict, const Hit& hit) {
  const std::string what = signal.text.empty() ? verdict.why : Printable(signal.text, kStepTextMax);
  const GpuRemedy remedy = verdict.remedy == GpuRemedy::kWatch ? GpuRemedy::kNone : verdict.remedy;
  const bool needs_person = verdict.remedy == GpuRemedy::kWatch || verdict.remedy >= GpuRemedy::kOperator || signal.kind == SignalKind::kMissing;
  if (draft.trouble.incident.value != 0) {
    events_.push_back(IncidentNoted{draft.trouble.incident, what, 1, remedy, needs_person, hit.jobs, hit.lost_gpu_ms});
    return;
  }
  Incident incident;
  incident.id = {++last_incident_};
  incident.cause = verdict.why;
  incident.pool = node_.pool;
  incident.node = node_.facts->name;
  incident.gpu = signal.gpu;
  incident.uuid = node_.facts->gpus[static_cast<size_t>(signal.gpu)].uuid;
  incident.remedy = remedy;
  incident.needs_person = needs_person;
  incident.opened_at = incident.last_at = at_;
  incident.reports = 1;
  incident.jobs = hit.jobs;
  incident.jobs.resize(std::min(incident.jobs.size(), kIncidentJobsMax));
  incident.jobs_hit = static_cast<int64_t>(hit.jobs.size());
  incident.lost_gpu_ms = hit.lost_gpu_ms;
  incident.steps = {{at_, what}};
  draft.trouble.incident = incident.id;
  events_.push_back(IncidentOpened{std::move(incident)});
  if (IsHardwareFailure(remedy) && IsLemon(state_, node_, at_)) MindNode("its hardware fails more often than that of other nodes: it takes no new work");
}

bool FaultDecider::MayDrain() const {
  return !node_.draining && !is_drained_ && !IsBreakerOpen(state_, node_.pool) && !IsBreakerDue(state_, node_.pool, at_);
}

// The node itself is the matter, whatever becomes of the GPU.
void FaultDecider::MindNode(const std::string& why) {
  if (!MayDrain()) return;
  is_drained_ = true;
  DrainWithIncident(node_, {++last_incident_}, at_, why, events_);
}

void FaultDecider::TakeOut(Draft& draft, const FaultSignal& signal, const std::string& why) {
  if (draft.trouble.remedy != GpuRemedy::kResetWhenIdle) {
    const GpuCondition to = ConditionFor(draft.trouble.remedy, signal);
    // An operator's word stands, and so do its reason and what `online` will do.
    const bool stays_offline = signal.kind == SignalKind::kMissing && draft.condition == GpuCondition::kOffline;
    if (CanBecome(draft.condition, to) && !stays_offline) {
      events_.push_back(GpuConditionChanged{node_.id, signal.gpu, to, why});
      draft.condition = to;
    }
  }
  if (draft.trouble.remedy == GpuRemedy::kReboot && MayDrain()) {
    events_.push_back(NodeDrainChanged{node_.id, true, why + " on GPU " + std::to_string(signal.gpu) + ": the node needs a reboot"});
    is_drained_ = true;
  }
}

Result<Events> DecideGpuReport(const State& state, Instant at, const ReportGpus& command) {
  const Node* node = state.FindNode(command.node);
  if (node == nullptr) return Fail(NotFound("no node with id " + std::to_string(command.node.value)));
  if (command.incarnation != node->incarnation) {
    return Fail(Conflict("stale report of node " + node->facts->name + ": join again"));
  }
  Events events;
  FaultDecider decider(state, at, *node, events);
  for (const FaultSignal& signal : command.signals) decider.See(signal);
  for (const GpuTaskResult& result : command.results) decider.EndTask(result);
  return events;
}

}  // namespace gp
