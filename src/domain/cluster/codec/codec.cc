#include "domain/cluster/codec/codec.h"

#include <algorithm>

#include "base/digest.h"
#include "domain/cluster/apply/apply_parts.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/codec/fields.h"
#include "domain/cluster/dependencies.h"
#include "domain/cluster/metering.h"
#include "domain/cluster/moves.h"
#include "domain/cluster/nodes/faults.h"
#include "domain/cluster/preemption.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/cluster/reservations.h"
// The archive finds Fields by argument-dependent lookup, so its order here does not matter.
#include "domain/cluster/codec/archive.h"

namespace gp {

template <typename A>
void Fields(A& archive, Record& v) {
  archive(v.envelope, v.events);
}

namespace {

constexpr uint64_t kFormatVersion = 17;
// The oldest format that can still be read.
constexpr uint64_t kFormatOldest = 16;

// The indexes of the state follow from its values and are not written.
template <typename A>
void StateFields(A& archive, State& v) {
  archive(v.policy, v.lineage, v.quiet_until, v.epoch, v.last_job, v.last_lease, v.last_pass,
          v.nodes, v.jobs, v.leases, v.queues, v.accounts, v.reservations, v.arrays,
          v.last_incident, v.last_task, v.troubles, v.incidents, v.out_of_service, v.breakers,
          v.drain_deadlines, v.last_token, v.access, v.metering, v.budgets, Since<17>(v.time),
          Since<17>(v.budget_levels));
}

void IndexJob(State& state, const Job& job) {
  if (job.state == JobState::kQueued) Enqueue(state, job);
  if (job.state == JobState::kBlocked) IndexBlocked(state, job);
  if (job.state == JobState::kRetryWait) state.retries.insert({job.eligible_at, job.id});
  if (IsTerminal(job.state)) state.finished.insert({job.ended_at, job.id});
  if (RunsAgainstLimit(job)) {
    IndexLimit(state, job, true);
  }
  state.limited += HasEnd(job) ? 1 : 0;
  if (IsEvictable(job)) IndexEvictable(state, job, true);
  IndexMoves(state, job);
  if (!job.nominated_nodes.empty()) state.nominated.insert(job.id);
  if (IsBeingPreempted(job)) state.preemptions.insert({job.preempted_for, job.id});
  if (!job.request_id.empty())
    state.jobs_by_request[RequestKey(job.user, job.request_id)] = SubmittedAs(job);
}

// Whether each value matches its key.
bool AreKeysTrue(const State& state) {
  for (size_t i = 0; i < state.nodes.size(); ++i) {
    if (state.nodes[i].id.value != i) return false;
  }
  const auto is_true = [](const auto& entry) { return entry.first == entry.second.id; };
  return std::ranges::all_of(state.jobs, is_true) && std::ranges::all_of(state.leases, is_true) &&
         std::ranges::all_of(state.incidents, is_true) &&
         std::ranges::all_of(state.access.tokens, is_true);
}

// Returns false if the values contradict each other.
bool BuildIndexes(State& state) {
  if (!AreKeysTrue(state)) return false;
  for (Node& node : state.nodes) {
    if (node.facts == nullptr || !ValidateNodeFacts(*node.facts) ||
        node.gpus.size() != node.facts->gpus.size())
      return false;
    state.nodes_by_name[node.facts->name] = node.id;
    CountCapacity(state, node, 1);
    IndexGpus(state, node, 1);
    PriceGpus(state.policy, node);
    if (node.condition == NodeCondition::kLost && !node.leases_expired) {
      state.losses.insert({node.lost_at + state.policy.lease_end_time, node.id});
    }
  }
  for (const auto& [name, reservation] : state.reservations) {
    if (std::ranges::any_of(reservation.nodes,
                            [&](NodeId id) { return state.FindNode(id) == nullptr; }))
      return false;
    IndexReservation(state, reservation);
  }
  for (const auto& [key, trouble] : state.troubles) {
    const Node* node = state.FindNode(key.node);
    if (node == nullptr || key.gpu < 0 || key.gpu >= static_cast<int>(node->gpus.size()))
      return false;
    IndexTrouble(state, key, trouble, 1);
  }
  IndexIncidents(state);
  for (const auto& [id, token] : state.access.tokens) IndexToken(state, token);
  state.metering.used.ledger.SumMonth();
  std::map<JobId, int> elements;
  for (const auto& [id, job] : state.jobs) {
    if (job.spec == nullptr || (HoldsLeases(job.state) && job.attempts.empty())) return false;
    if (job.array.value != 0 && !IsElement(state, job)) return false;
    if (job.array.value != 0) ++elements[job.array];
    IndexJob(state, job);
  }
  for (const auto& [id, array] : state.arrays) {
    if (array.known <= 0 || array.known != elements[id]) return false;
  }
  for (const auto& [id, lease] : state.leases) {
    const auto job = state.jobs.find(lease.job);
    if (job == state.jobs.end()) return false;
    const Node* node = state.FindNode(lease.node);
    const auto is_known = [&](const GpuGrant& grant) {
      return grant.gpu >= 0 && grant.gpu < static_cast<int>(node->gpus.size());
    };
    if (node == nullptr || !std::ranges::all_of(lease.gpus, is_known)) return false;
    const int64_t share = CountedShare(state, lease);
    IndexMaintenanceStop(state, job->second);
    if (share > 0)
      state.shares_by_class[{job->second.pool, ClassOf(job->second.spec->policy.priority)}]
                           [lease.job] += share;
  }
  return true;
}

// Reads the version at the start of a record or snapshot; false: this version cannot be read.
bool ReadVersion(ReadArchive& archive) {
  uint64_t version = 0;
  archive(version);
  archive.SetVersion(version);
  return version >= kFormatOldest && version <= kFormatVersion;
}

Error Damaged(const char* what) { return Internal(std::string(what) + " does not decode"); }

}  // namespace

std::string EncodeRecord(const Record& record) {
  WriteArchive archive;
  archive(kFormatVersion, record);
  return archive.Take();
}

Result<Record> DecodeRecord(std::string_view bytes) {
  ReadArchive archive(bytes);
  if (!ReadVersion(archive)) return Fail(Damaged("a journal record of another version"));
  Record record{{{}, {}, {}, Tick{}}, {}};  // a small command as a placeholder
  archive(record);
  if (!archive.Complete()) return Fail(Damaged("a journal record"));
  return record;
}

std::string EncodeEvents(const std::vector<Event>& events) {
  WriteArchive archive;
  archive(events);
  return archive.Take();
}

std::string EncodeState(const State& state) {
  WriteArchive archive;
  archive(kFormatVersion);
  StateFields(archive, const_cast<State&>(state));
  return archive.Take();
}

Result<State> DecodeState(std::string_view bytes) {
  ReadArchive archive(bytes);
  if (!ReadVersion(archive)) return Fail(Damaged("a snapshot of another version"));
  State state;
  StateFields(archive, state);
  if (!archive.Complete() || !BuildIndexes(state)) return Fail(Damaged("a snapshot"));
  return state;
}

uint64_t StateDigest(const State& state) { return Digest64(EncodeState(state)); }

}  // namespace gp
