#include "adapters/wire/views/views.h"

#include <algorithm>
#include <set>

#include "adapters/wire/job_spec.h"
#include "adapters/wire/views/node_detail_view.h"
#include "adapters/wire/views/recovery_view.h"
#include "adapters/wire/views/usage_view.h"
#include "base/text.h"
#include "base/units.h"
#include "domain/cluster/metering.h"
#include "domain/cluster/nodes/faults.h"
#include "domain/cluster/nodes/verdict.h"
#include "domain/model/jobs/array.h"
#include "domain/placement/placement_warning.h"

namespace gp {

std::string TimeText(const State& state, Instant at) {
  return ToRfc3339(WallOf(state.time, at), true);
}

namespace {

v1::GpuState ToProto(ShownGpuState state) {
  return static_cast<v1::GpuState>(static_cast<int>(state) + 1);
}
static_assert(static_cast<int>(ShownJobState::kPreempted) + 1 == v1::PREEMPTED);
static_assert(static_cast<int>(ShownJobState::kCancelled) + 1 == v1::CANCELLED);
static_assert(static_cast<int>(ShownGpuState::kOffline) + 1 == v1::OFFLINE);

std::string Place(const NodeFacts& facts, const std::vector<int>& gpus) {
  if (gpus.empty()) return facts.name;
  CpuSet set;
  for (const int gpu : gpus) set.Add(gpu);
  return facts.name + "[" + set.ToString() + "]";
}

void RankView(const State& state, const RankRecord& record, int rank, v1::Rank* message) {
  const NodeFacts& facts = *state.FindNode(record.node)->facts;
  message->set_rank(rank);
  message->set_node(facts.name);
  std::set<int> numa_nodes;
  for (const int index : record.gpus) {
    message->add_gpus(index);
    if (index >= static_cast<int>(facts.gpus.size()))
      continue;  // the node joined again with fewer GPUs
    const GpuFacts& gpu = facts.gpus[static_cast<size_t>(index)];
    message->add_gpu_uuids(gpu.uuid);
    if (gpu.numa >= 0) numa_nodes.insert(facts.numa[static_cast<size_t>(gpu.numa)].os_id);
  }
  message->mutable_numa_nodes()->Add(numa_nodes.begin(), numa_nodes.end());
  const Lease* lease = state.FindLease(record.lease);
  message->set_live(lease != nullptr);
  if (lease != nullptr) {
    CpuSet cpus;
    for (const NumaGrant& grant : lease->numa) cpus = cpus.Union(grant.cpus);
    message->set_cpus(cpus.ToString());
    return;
  }
  message->set_outcome(Name(record.outcome.end));
  if (!record.outcome.message.empty())
    message->set_outcome(message->outcome() + ": " + record.outcome.message);
  message->set_exit_code(record.outcome.exit_code);
  message->set_signal(record.outcome.signal);
  message->set_last_error(record.outcome.clues.last_error);
}

void AttemptView(const State& state, const AttemptRecord& attempt, v1::Attempt* message) {
  message->set_number(attempt.number);
  message->set_placed_at(TimeText(state, attempt.placed_at));
  if (attempt.started_at.ns > 0) {
    message->set_started_at(TimeText(state, attempt.started_at));
    message->set_start_seconds(SecondsOf(attempt.started_at - attempt.placed_at));
  }
  if (attempt.ended_at.ns > 0) message->set_ended_at(TimeText(state, attempt.ended_at));
  message->set_placement(attempt.placement);
  message->set_warning(std::string(WarningIn(attempt.placement)));
  if (attempt.end != EndClass::kNone) {
    message->set_end_class(Name(attempt.end));
    message->set_charged_to(Name(ChargeOf(attempt.end)));
  }
  for (size_t rank = 0; rank < attempt.ranks.size(); ++rank) {
    RankView(state, attempt.ranks[rank], static_cast<int>(rank), message->add_ranks());
  }
}

void HolderView(const State& state, LeaseId id, int gpu, v1::Holder* message) {
  const Lease& lease = *state.FindLease(id);
  const Job& job = *state.FindJob(lease.job);
  message->set_job_id(NameOf(job));
  message->set_job_name(job.spec->name);
  message->set_user(job.user.name);
  message->set_rank(lease.rank);
  const auto grant = std::ranges::find(lease.gpus, gpu, &GpuGrant::gpu);
  message->set_share(grant->share);
  message->set_memory_bytes(grant->memory_mib * kMiB);
  const MigTable& table = state.FindNode(lease.node)->facts->gpus[static_cast<size_t>(gpu)].mig;
  if (const MigProfile* profile = table.Find(grant->mig_profile))
    message->set_instance(profile->name + "@" + std::to_string(grant->mig_start));
}

void VerdictView(const State& state, const GpuKey& key, v1::GpuVerdict* message) {
  const GpuVerdict verdict = VerdictOf(state, key);
  message->set_level(Name(verdict.level));
  message->set_code(verdict.code);
  message->set_why(verdict.why);
  message->set_follows(verdict.follows);
  message->set_takes_new_work(verdict.takes_new_work);
  const GpuTrouble* trouble = FindTrouble(state, key);
  if (trouble == nullptr) return;
  for (const HealthFinding& finding : trouble->findings) {
    v1::GpuVerdict::Finding* part = message->add_findings();
    part->set_code(Name(finding.code));
    part->set_text(ToText(finding));
    part->set_follows(Name(ActionOf(state.policy.faults, finding.code)));
  }
  for (const XidMark& mark : trouble->xids) {
    v1::GpuVerdict::Xid* part = message->add_xids();
    part->set_xid(mark.xid);
    part->set_at(TimeText(state, mark.at));
  }
  if (trouble->incident.value != 0) message->set_incident(ToText(trouble->incident));
}

void GpuView(const State& state, const Node& node, int index, v1::Gpu* message) {
  const Gpu& gpu = node.gpus[static_cast<size_t>(index)];
  const GpuFacts& facts = node.facts->gpus[static_cast<size_t>(index)];
  message->set_index(index);
  message->set_uuid(facts.uuid);
  message->set_model(facts.model);
  message->set_pci_bus_id(facts.pci_bus_id);
  message->set_minor(facts.minor);
  message->set_numa_node(node.facts->numa[static_cast<size_t>(facts.numa)].os_id);
  message->set_memory_bytes(facts.memory_mib * kMiB);
  const bool started = std::ranges::any_of(
      gpu.leases, [&](LeaseId id) { return state.FindLease(id)->phase == LeasePhase::kStarted; });
  message->set_state(ToProto(Shown(gpu, started)));
  message->set_detail(Name(gpu.condition));
  message->set_draining(gpu.draining || node.draining);
  message->set_reason(gpu.reason);
  if (facts.presence == GpuPresence::kMissing && gpu.condition != GpuCondition::kLost)
    message->set_reason(gpu.reason + (gpu.reason.empty() ? "" : "; ") + "missing from the node");
  message->set_mode(Name(facts.mig.empty() ? gpu.mode : GpuMode::kMig));
  for (const MigProfile& profile : facts.mig.profiles) {
    if (facts.mig.ChooseStart(profile, gpu.mig_slices) != kNoMig)
      message->add_instances_left(profile.name);
  }
  message->set_share_granted(gpu.share_granted);
  message->set_memory_granted_bytes(gpu.memory_granted_mib * kMiB);
  for (const LeaseId id : gpu.leases) HolderView(state, id, index, message->add_holders());
  VerdictView(state, {node.id, index}, message->mutable_verdict());
}

void NumaView(const NumaFacts& facts, const NumaLedger& ledger, v1::NumaNode* message) {
  message->set_id(facts.os_id);
  message->set_package(facts.package);
  message->set_cpus(facts.cpus.ToString());
  message->set_cpus_granted(ledger.cpus_granted.ToString());
  message->set_memory_bytes(facts.memory_mib * kMiB);
  message->set_memory_granted_bytes(ledger.memory_granted_mib * kMiB);
}

// The links between the GPU and those that come after it.
void LinksView(const Node& node, int gpu, v1::Node* message) {
  const NodeFacts& facts = *node.facts;
  for (int peer = gpu + 1; peer < static_cast<int>(node.gpus.size()); ++peer) {
    if (facts.LinkCount(gpu, peer) == 0 || IsRetired(facts, peer)) continue;
    v1::Link* link = message->add_links();
    link->set_gpu_a(gpu);
    link->set_gpu_b(peer);
    link->set_nvlinks(facts.LinkCount(gpu, peer));
  }
}

void GpusView(const State& state, const Node& node, v1::Node* message) {
  for (int gpu = 0; gpu < static_cast<int>(node.gpus.size()); ++gpu) {
    if (IsRetired(*node.facts, gpu)) continue;
    GpuView(state, node, gpu, message->add_gpus());
    LinksView(node, gpu, message);
  }
}

void NodeView(const State& state, const Node& node, v1::Node* message) {
  const NodeFacts& facts = *node.facts;
  message->set_name(facts.name);
  message->set_state(Name(node.condition));
  message->set_draining(node.draining);
  if (node.draining) DrainView(state, node, message->mutable_drain());
  message->set_reason(node.reason);
  message->set_simulated(facts.simulated);
  message->set_driver_version(facts.driver_version);
  message->set_pool(node.pool);
  message->mutable_labels()->insert(node.labels.begin(), node.labels.end());
  for (size_t i = 0; i < facts.numa.size(); ++i)
    NumaView(facts.numa[i], node.numa[i], message->add_numa_nodes());
  GpusView(state, node, message);
}

void JobStateView(const Job& job, PendingReasons& reasons, v1::Job* message) {
  message->set_state(ToProto(Shown(job.state)));
  message->set_detail(Name(job.state));
  const ShownReason reason = ReasonOf(job, reasons);
  message->set_reason(reason.text);
  message->set_reason_code(reason.code);
  message->set_note(job.note);
}

void CountsView(const Job& job, v1::Job* message) {
  message->set_attempt(job.attempt);
  message->set_retries_used(job.retries_used);
  message->set_faults(job.faults);
  message->set_preemptions(job.preemptions);
  message->set_moves(job.moves);
}

void ElementView(const Job& job, v1::Job* message) {
  if (job.array.value == 0) return;
  message->set_array_id(ToText(job.array));
  message->set_array_index(IndexIn(job.array, job.id));
}

void PlacesView(const State& state, const Job& job, v1::Job* message) {
  const AttemptRecord* attempt = ShownAttempt(job);
  if (attempt == nullptr) return;
  for (const RankRecord& rank : attempt->ranks)
    message->add_places(Place(*state.FindNode(rank.node)->facts, rank.gpus));
}

void TimesView(const State& state, const Job& job, Instant now, v1::Job* message) {
  const AttemptRecord* attempt = ShownAttempt(job);
  const Instant started = attempt == nullptr ? Instant{0} : attempt->started_at;
  const bool over = IsTerminal(job.state);
  const Instant until = over ? job.ended_at : now;
  message->set_submitted_at(TimeText(state, job.submitted_at));
  if (started.ns > 0) message->set_started_at(TimeText(state, started));
  if (over) message->set_ended_at(TimeText(state, job.ended_at));
  message->set_wait_seconds(SecondsOf((started.ns > 0 ? started : until) - job.submitted_at));
  if (started.ns > 0) message->set_run_seconds(SecondsOf(std::max(until, started) - started));
}

}  // namespace

v1::JobState ToProto(ShownJobState state) {
  return static_cast<v1::JobState>(static_cast<int>(state) + 1);
}

ShownReason ReasonOf(const Job& job, PendingReasons& reasons) {
  switch (job.state) {
    case JobState::kQueued: {
      PendingReason reason = reasons.Of(job);
      return {std::move(reason.code), std::move(reason.text)};
    }
    case JobState::kHeld:
      return {"Held", job.reason.empty()
                          ? "held; gpu-platform jobs release " + NameOf(job) + " queues it again"
                          : job.reason};
    case JobState::kBlocked: return {"Dependency", job.reason};
    case JobState::kRetryWait: return {"BeginTime", job.reason};
    default: return {"", job.reason};
  }
}

void JobLine(const State& state, const Job& job, Instant now, PendingReasons& reasons,
             v1::Job* message) {
  message->set_id(NameOf(job));
  JobStateView(job, reasons, message);
  ToProto(*job.spec, message->mutable_spec());
  message->set_user(job.user.name);
  message->set_queue(job.queue);
  message->set_pool(job.pool);
  CountsView(job, message);
  ElementView(job, message);
  PlacesView(state, job, message);
  TimesView(state, job, now, message);
  if (IsTerminal(job.state)) message->set_exit_code(job.exit_code);
  const Job* self = &job;
  JobsUseView(state, {&self, 1}, now, message);
}

void JobView(const State& state, const Job& job, Instant now, v1::Job* message, const Plan* plan) {
  PendingReasons reasons(state, now, plan);
  JobLine(state, job, now, reasons, message);
  for (const AttemptRecord& attempt : job.attempts)
    AttemptView(state, attempt, message->add_attempts());
  for (const XidNote& note : job.xids) {
    v1::XidNote* part = message->add_xids();
    part->set_attempt(note.attempt);
    part->set_xid(note.xid);
    part->set_gpu(state.FindNode(note.node)->facts->name + "/" + std::to_string(note.gpu));
    part->set_at(TimeText(state, note.at));
    part->set_forgiven(note.forgiven);
  }
  CheckpointsView(state, job, message);
}

void ClusterView(const State& state, Instant now, v1::Cluster* message) {
  message->set_epoch(state.epoch);
  for (const Node& node : state.nodes.all) NodeView(state, node, message->add_nodes());
  std::ranges::sort(
      message->mutable_nodes()->pointer_begin(), message->mutable_nodes()->pointer_end(),
      [](const v1::Node* a, const v1::Node* b) { return NaturalLess(a->name(), b->name()); });
  for (const auto& [pool, incident] : state.faults.breakers) {
    v1::Breaker* breaker = message->add_breakers();
    breaker->set_pool(pool);
    breaker->set_incident(ToText(incident));
    if (const auto found = state.faults.incidents.find(incident);
        found != state.faults.incidents.end())
      breaker->set_cause(found->second.cause);
  }
  message->set_jobs_queued(static_cast<int64_t>(state.jobs.queued.size()));
  std::set<JobId> running;
  for (const auto& [id, lease] : state.leases.all) running.insert(lease.job);
  message->set_jobs_running(static_cast<int64_t>(running.size()));
  Instant oldest = now;
  for (const JobId id : state.jobs.queued) oldest = std::min(oldest, state.FindJob(id)->queued_at);
  if (!state.jobs.queued.empty()) message->set_oldest_wait_seconds(SecondsOf(now - oldest));
}

}  // namespace gp
