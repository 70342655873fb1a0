#include "domain/cluster/codec/build_indexes.h"

#include <algorithm>

#include "domain/cluster/apply/apply_parts.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/dependencies.h"
#include "domain/cluster/metering.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/cluster/reservations.h"
#include "domain/cluster/state/job_indexes.h"

namespace gp {
namespace {

void IndexJob(State& state, const Job& job) {
  VisitIndexes(state.jobs, job, [](const char*, auto& index, const auto& row) {
    if (row.belongs) Insert(index, *row.entry);
  });
  if (job.state == JobState::kBlocked) IndexBlocked(state, job);
  state.jobs.limited += HasEnd(job) ? 1 : 0;
  if (!job.request_id.empty())
    state.jobs.by_request[RequestKey(job.user, job.request_id)] = SubmittedAs(job);
}

// Whether each value matches its key.
bool AreKeysTrue(const State& state) {
  for (size_t i = 0; i < state.nodes.all.size(); ++i) {
    if (state.nodes.all[i].id.value != i) return false;
  }
  const auto is_true = [](const auto& entry) { return entry.first == entry.second.id; };
  return std::ranges::all_of(state.jobs.all, is_true) &&
         std::ranges::all_of(state.leases.all, is_true) &&
         std::ranges::all_of(state.faults.incidents, is_true) &&
         std::ranges::all_of(state.access.tokens, is_true);
}

// False: a node is not valid.
bool IndexNodes(State& state) {
  for (Node& node : state.nodes.all) {
    if (node.facts == nullptr || !ValidateNodeFacts(*node.facts) ||
        node.gpus.size() != node.facts->gpus.size())
      return false;
    state.nodes.by_name[node.facts->name] = node.id;
    state.nodes.CountCapacity(node, 1);
    state.nodes.IndexGpus(node, 1);
    PriceGpus(state.policy, node);
    if (node.condition == NodeCondition::kLost && !node.leases_expired) {
      state.nodes.losses.insert({node.lost_at + state.policy.lease_end_time, node.id});
    }
  }
  for (const auto& [node, images] : state.nodes.images) {
    if (state.FindNode(node) == nullptr) return false;
    state.nodes.IndexImages(node, 1);
  }
  return true;
}

}  // namespace

bool BuildIndexes(State& state) {
  if (!AreKeysTrue(state) || !IndexNodes(state)) return false;
  for (const auto& [name, reservation] : state.reservations.all) {
    if (std::ranges::any_of(reservation.nodes,
                            [&](NodeId id) { return state.FindNode(id) == nullptr; }))
      return false;
    IndexReservation(state, reservation);
  }
  for (const auto& [key, trouble] : state.faults.troubles) {
    const Node* node = state.FindNode(key.node);
    if (node == nullptr || key.gpu < 0 || key.gpu >= static_cast<int>(node->gpus.size()))
      return false;
    state.faults.IndexTrouble(key, trouble, 1);
  }
  state.faults.IndexIncidents(state.policy.faults);
  for (const auto& [id, token] : state.access.tokens) IndexToken(state, token);
  for (const auto& [key, request] : state.requests.answered)
    state.requests.by_time.insert({request.at, key});
  state.metering.used.ledger.SumMonth();
  state.queues.IndexWaitTargets();
  std::map<JobId, int> elements;
  for (const auto& [id, job] : state.jobs.all) {
    if (job.spec == nullptr || (HoldsLeases(job.state) && job.attempts.empty())) return false;
    if (!job.leases.empty() && !state.queues.all.contains(job.queue)) return false;
    if (job.array.value != 0 && !IsElement(state, job)) return false;
    if (job.array.value != 0) ++elements[job.array];
    IndexJob(state, job);
  }
  for (const auto& [id, array] : state.jobs.arrays) {
    if (array.known <= 0 || array.known != elements[id]) return false;
  }
  for (const auto& [id, lease] : state.leases.all) {
    const Job* job = state.FindJob(lease.job);
    if (job == nullptr) return false;
    const Node* node = state.FindNode(lease.node);
    const auto is_known = [&](const GpuGrant& grant) {
      return grant.gpu >= 0 && grant.gpu < static_cast<int>(node->gpus.size());
    };
    if (node == nullptr || !std::ranges::all_of(lease.gpus, is_known)) return false;
    const int64_t share = CountedShare(state, lease);
    IndexMaintenanceStop(state, *job);
    if (share > 0) state.leases.shares_by_class[PoolClassOf(*job)][lease.job] += share;
  }
  CountHoldingsAgain(state);  // formats before 19 hold no cores and no memory
  return true;
}

}  // namespace gp
