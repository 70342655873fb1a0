#include "domain/explaining/explain.h"

#include <algorithm>
#include <map>
#include <utility>

#include "domain/cluster/quotas/quota.h"
#include "domain/explaining/find_changes.h"
#include "domain/explaining/what_if.h"
#include "domain/placement/choose_gpus.h"
#include "domain/scheduling/queue_order.h"

namespace gp {
namespace {

constexpr int64_t kCountedMax = 10'000;

std::optional<PlaceGang> PlannedFor(const Plan& plan, JobId job) {
  for (PlaceGang& placement : plan.Placements()) {
    if (placement.job == job) return std::move(placement);
  }
  return std::nullopt;
}

std::optional<int64_t> CountAhead(const WhatIf& what_if, const Job& job) {
  if (!what_if.state().jobs.queued.contains(job.id)) return std::nullopt;
  QueueOrder order(what_if.state(), what_if.at());
  int64_t ahead = 0;
  for (int64_t counted = 0; counted < kCountedMax; ++counted) {
    const auto candidate = order.Next();
    if (!candidate || candidate->job->id == job.id) return ahead;
    ahead += candidate->job->pool == job.pool ? 1 : 0;
    order.Follow(*candidate);
  }
  return std::nullopt;
}

std::vector<bool> NodesThatCould(const WhatIf& what_if, const Job& job) {
  std::vector<bool> could(what_if.state().nodes.all.size(), false);
  for (ClassId id = 0; id < what_if.classes().size(); ++id) {
    const NodeClasses::Class& one = what_if.classes().Of(id);
    if (one.members.empty() || !Fits(Ideal(one.example), job)) continue;
    for (const NodeId member : one.members) could[member.value] = true;
  }
  return could;
}

std::vector<Holder> FindHolders(const WhatIf& what_if, const Job& job) {
  const std::vector<bool> could = NodesThatCould(what_if, job);
  std::map<std::pair<std::string, std::string>, int64_t> shares;
  const Job* last = nullptr;  // leases of one job are adjacent
  for (const auto& [id, lease] : what_if.state().leases.all) {
    if (!could[lease.node.value]) continue;
    if (last == nullptr || last->id != lease.job) last = what_if.state().FindJob(lease.job);
    shares[{last->user.name, last->queue}] += CountedShare(what_if.state(), lease);
  }
  std::vector<Holder> holders;
  for (const auto& [who, share] : shares) {
    if (share > 0) holders.push_back({who.first, who.second, share});
  }
  std::ranges::stable_sort(holders, std::greater{}, &Holder::share);
  return holders;
}

void TellKept(const WhatIf& what_if, const Job& job, Explanation& explanation) {
  for (const auto& [node, backfill] : what_if.plan().backfill) {
    if (backfill.job != job.id) continue;
    explanation.kept_nodes.push_back(what_if.state().FindNode(node)->facts->name);
    if (HasShadowTime(backfill)) explanation.starts_by = backfill.shadow_time;
  }
}

}  // namespace

Explanation Explain(const State& state, Instant at, const Job& job,
                    const IncidentsByGpu* incidents) {
  WhatIf what_if(state, at);
  Explanation explanation;
  explanation.place =
      state.jobs.queued.contains(job.id) ? PlannedFor(what_if.plan(), job.id) : what_if.Place(job);
  if (explanation.place) return explanation;
  explanation.reasons = PendingReasons(state, at, &what_if.plan(), incidents).All(job);
  explanation.ahead = CountAhead(what_if, job);
  explanation.changes = FindChanges(what_if, job);
  explanation.holders = FindHolders(what_if, job);
  TellKept(what_if, job, explanation);
  return explanation;
}

const char* Name(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kFewerGpus: return "fewer-gpus";
    case ChangeKind::kFewerNodes: return "fewer-nodes";
    case ChangeKind::kTopology: return "topology";
    case ChangeKind::kModel: return "model";
    case ChangeKind::kGpuMemory: return "gpu-memory";
    case ChangeKind::kHost: return "host";
    case ChangeKind::kNodeLabels: return "node-labels";
    case ChangeKind::kQueue: return "queue";
    case ChangeKind::kTimeLimit: return "time-limit";
    case ChangeKind::kPreemptible: return "preemptible";
    case ChangeKind::kPriority: return "priority";
    case ChangeKind::kMove: return "move";
    case ChangeKind::kWait: return "wait";
  }
  return "?";
}

}  // namespace gp
