#include "domain/cluster/state.h"

#include <algorithm>

#include "base/assert.h"
#include "domain/cluster/nodes/faults.h"
#include "domain/cluster/preemption.h"
#include "domain/cluster/retention.h"

namespace gp {

QueueKey KeyOf(const Job& job) { return {kPriorityMax - job.spec->policy.priority, job.id}; }

EquivalenceClass EquivalenceClassOf(const Job& job) {
  const int level = ServiceLevel(job, Instant{});  // constant while the job is pending
  return {ClassOf(job.spec->policy.priority),
          level,
          job.spec->policy.preemptible,
          job.user.name,
          job.queue,
          LongestStay(*job.spec),
          ShapeOf(job),
          LimitingArray(job)};
}

const std::string& QueueFor(const State& state, const JobSpec& spec) {
  if (!spec.policy.queue.empty()) return spec.policy.queue;
  const auto of_project = state.queues.find(spec.project);
  return of_project != state.queues.end() ? of_project->first
                                          : state.queues.find(kDefaultQueue)->first;
}

void Enqueue(State& state, const Job& job) {
  state.queued.insert(job.id);
  state.equivalence_classes[EquivalenceClassOf(job)].insert(KeyOf(job));
}

void Dequeue(State& state, const Job& job) {
  state.queued.erase(job.id);
  const auto equivalence_class = state.equivalence_classes.find(EquivalenceClassOf(job));
  GP_ASSERT(equivalence_class != state.equivalence_classes.end(),
            "a queued job has an equivalence class");
  equivalence_class->second.erase(KeyOf(job));
  if (equivalence_class->second.empty()) state.equivalence_classes.erase(equivalence_class);
}

void IndexEvictable(State& state, const Job& job, bool is_evictable) {
  const PoolClass key{job.pool, ClassOf(job.spec->policy.priority)};
  if (is_evictable) {
    state.evictable[key].insert(job.id);
    return;
  }
  const auto found = state.evictable.find(key);
  if (found == state.evictable.end()) return;
  found->second.erase(job.id);
  if (found->second.empty()) state.evictable.erase(found);
}

bool State::HasChildren(const std::string& queue) const {
  const auto next = queues.lower_bound(queue + "/");
  return next != queues.end() && next->first.starts_with(queue + "/");
}

const Node* State::FindNode(NodeId id) const {
  return id.value < nodes.size() ? &nodes[id.value] : nullptr;
}

const Job* State::FindJob(JobId id) const {
  const auto it = jobs.find(id);
  return it == jobs.end() ? nullptr : &it->second;
}

const Lease* State::FindLease(LeaseId id) const {
  const auto it = leases.find(id);
  return it == leases.end() ? nullptr : &it->second;
}

std::string RequestKey(const User& user, const std::string& request_id) {
  return std::to_string(user.uid) + "/" + request_id;
}

Instant NextDeadline(const State& state) {
  Instant next{0};
  const auto consider = [&next](const auto& due) {
    if (due.empty()) return;
    const Instant at = due.begin()->first;
    if (next.ns == 0 || at < next) next = at;
  };
  consider(state.retries);
  consider(state.limits);
  consider(state.limit_notices);
  consider(state.losses);
  consider(state.reservation_ends);
  consider(state.incident_ends);
  if (!state.token_ends.empty()) {
    const Instant at = InstantOf(state.time, state.token_ends.begin()->first);
    if (next.ns == 0 || at < next) next = at;
  }
  consider(state.maintenance_stops);
  if (const auto due = NextForgetting(state); due && (next.ns == 0 || *due < next)) next = *due;
  for (const auto& [key, at] : state.drain_deadlines) {
    if (next.ns == 0 || at < next) next = at;
  }
  const bool is_remedy_ready = std::ranges::any_of(
      state.remedies, [&](const GpuKey& key) { return IsRemedyReady(state, key); });
  if (!state.decided.empty() || is_remedy_ready) next = Instant{1};  // at once
  return next;
}

}  // namespace gp
