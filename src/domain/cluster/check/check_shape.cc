#include "domain/cluster/check/invariant_parts.h"

#include <algorithm>
#include <string>

#include "domain/cluster/arrays.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/model/jobs/variants.h"

namespace gp {
namespace {

bool HasShape(const Node& node, size_t index) {
  return node.id.value == index && node.facts != nullptr && ValidateNodeFacts(*node.facts) &&
         node.gpus.size() == node.facts->gpus.size() && node.numa.size() == node.facts->numa.size();
}

bool HasQueues(const State& state, const Job& job) {
  return std::ranges::all_of(PathsTo(job.queue), [&](const std::string& path) {
    const auto queue = state.queues.all.find(path);
    return queue != state.queues.all.end() && queue->second.pool == job.pool;
  });
}

bool HasVariant(const Job& job) {
  const JobSpec& submitted = job.submitted_spec ? **job.submitted_spec : *job.spec;
  return job.variant >= 0 && job.variant < CountVariants(submitted);
}

bool HasShape(const State& state, JobId id, const Job& job) {
  if (job.spec == nullptr || !HasVariant(job)) return false;
  for (const NodeId node : job.nominated_nodes) {
    if (state.FindNode(node) == nullptr) return false;
  }
  for (const XidNote& note : job.xids) {
    if (state.FindNode(note.node) == nullptr) return false;
  }
  for (const RankTarget& target : job.destination) {
    if (state.FindNode(target.node) == nullptr) return false;
  }
  if ((!IsTerminal(job.state) || !job.leases.empty()) && !HasQueues(state, job)) return false;
  if (job.array.value != 0 && !IsElement(state, job)) return false;
  if (job.id != id || (HoldsLeases(job.state) && job.attempts.empty())) return false;
  return std::ranges::all_of(job.attempts, [&](const AttemptRecord& attempt) {
    return std::ranges::all_of(attempt.ranks, [&](const RankRecord& rank) {
      return state.FindNode(rank.node) != nullptr;
    });
  });
}

bool HasShape(const State& state, LeaseId id, const Lease& lease) {
  const Job* job = state.FindJob(lease.job);
  const Node* node = state.FindNode(lease.node);
  if (lease.id != id || job == nullptr || node == nullptr || job->attempts.empty()) return false;
  const auto within = [](int value, size_t size) {
    return value >= 0 && static_cast<size_t>(value) < size;
  };
  return within(lease.rank, job->attempts.back().ranks.size()) &&
         std::ranges::all_of(lease.gpus,
                             [&](const GpuGrant& g) { return within(g.gpu, node->gpus.size()); }) &&
         std::ranges::all_of(lease.numa,
                             [&](const NumaGrant& g) { return within(g.numa, node->numa.size()); });
}

}  // namespace

void CheckShape(const State& state, Violations& found) {
  for (size_t i = 0; i < state.nodes.all.size(); ++i) {
    if (!HasShape(state.nodes.all[i], i)) found.push_back({"shape", "node " + std::to_string(i)});
  }
  for (const auto& [id, job] : state.jobs.all) {
    if (!HasShape(state, id, job)) found.push_back({"shape", ToText(id)});
  }
  for (const auto& [key, trouble] : state.faults.troubles) {
    const Node* node = state.FindNode(key.node);
    const bool is_there =
        node != nullptr && key.gpu >= 0 && key.gpu < static_cast<int>(node->gpus.size());
    if (!is_there)
      found.push_back({"shape", "troubles of GPU " + std::to_string(key.gpu) + " of node " +
                                    std::to_string(key.node.value)});
  }
  for (const auto& [id, lease] : state.leases.all) {
    if (!HasShape(state, id, lease)) found.push_back({"shape", ToText(id)});
  }
}

}  // namespace gp
