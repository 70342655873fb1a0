#include "adapters/wire/views/cluster_view.h"

#include <algorithm>
#include <set>

#include "adapters/wire/views/node_detail_view.h"
#include "adapters/wire/views/usage_view.h"
#include "adapters/wire/views/views.h"
#include "base/text.h"
#include "base/units.h"
#include "domain/cluster/nodes/faults.h"
#include "domain/cluster/nodes/verdict.h"

namespace gp {
namespace {

v1::GpuState ToProto(ShownGpuState state) {
  return static_cast<v1::GpuState>(static_cast<int>(state) + 1);
}
static_assert(static_cast<int>(ShownGpuState::kOffline) + 1 == v1::OFFLINE);

// As users see it.
v1::GpuState StateOf(const State& state, const Gpu& gpu) {
  const bool is_started = std::ranges::any_of(
      gpu.leases, [&](LeaseId id) { return state.FindLease(id)->phase == LeasePhase::kStarted; });
  return ToProto(Shown(gpu, is_started));
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
  message->set_state(StateOf(state, gpu));
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

// `by_state`: of the whole cluster.
void TotalsView(const State& state, const Node& node, v1::NodeTotals* totals,
                google::protobuf::Map<std::string, int32_t>& by_state) {
  const NodeFacts& facts = *node.facts;
  for (int index = 0; index < static_cast<int>(node.gpus.size()); ++index) {
    if (IsRetired(facts, index)) continue;
    const Gpu& gpu = node.gpus[static_cast<size_t>(index)];
    const v1::GpuState shown = StateOf(state, gpu);
    const bool drains = gpu.draining || node.draining;
    if (totals->gpus() == 0) totals->set_gpu_model(facts.gpus[static_cast<size_t>(index)].model);
    totals->set_gpus(totals->gpus() + 1);
    if (shown == v1::AVAILABLE && !drains) totals->set_gpus_free(totals->gpus_free() + 1);
    if (shown >= v1::DEGRADED) totals->set_gpus_out(totals->gpus_out() + 1);
    if (!gpu.leases.empty()) totals->set_gpus_held(totals->gpus_held() + 1);
    ++by_state[drains && shown != v1::OFFLINE ? "draining" : v1::GpuState_Name(shown)];
  }
  for (const NumaFacts& numa : facts.numa) {
    totals->set_cpus(totals->cpus() + numa.cpus.Count());
    totals->set_memory_bytes(totals->memory_bytes() + numa.memory_mib * kMiB);
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
  message->mutable_features()->Assign(facts.features.begin(), facts.features.end());
  message->set_pool(node.pool);
  message->mutable_labels()->insert(node.labels.begin(), node.labels.end());
}

// The NUMA nodes, GPUs and links of a node.
void PartsView(const State& state, const Node& node, v1::Node* message) {
  for (size_t i = 0; i < node.facts->numa.size(); ++i)
    NumaView(node.facts->numa[i], node.numa[i], message->add_numa_nodes());
  GpusView(state, node, message);
}

}  // namespace

void ClusterView(const State& state, Instant now, bool totals_only, v1::Cluster* message) {
  message->set_epoch(state.epoch);
  for (const Node& node : state.nodes.all) {
    v1::Node* const shown = message->add_nodes();
    NodeView(state, node, shown);
    TotalsView(state, node, shown->mutable_totals(), *message->mutable_gpus_by_state());
    if (!totals_only) PartsView(state, node, shown);
  }
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
  const auto requires_operator = [](const auto& entry) {
    return entry.second.state != IncidentState::kClosed && entry.second.needs_person;
  };
  message->set_incidents_for_operators(
      static_cast<int32_t>(std::ranges::count_if(state.faults.incidents, requires_operator)));
  message->set_jobs_queued(static_cast<int64_t>(state.jobs.queued.size()));
  std::set<JobId> running;
  for (const auto& [id, lease] : state.leases.all) running.insert(lease.job);
  message->set_jobs_running(static_cast<int64_t>(running.size()));
  Instant oldest = now;
  for (const JobId id : state.jobs.queued) oldest = std::min(oldest, state.FindJob(id)->queued_at);
  if (!state.jobs.queued.empty()) message->set_oldest_wait_seconds(SecondsOf(now - oldest));
}

}  // namespace gp
