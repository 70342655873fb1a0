#include "domain/cluster/check/invariant_parts.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "domain/cluster/dependencies.h"
#include "domain/cluster/moves.h"
#include "domain/cluster/preemption.h"
#include "domain/cluster/reservations.h"

namespace gp {

void CheckIndexesOf(const State& state, const Job& job, Violations& found) {
  const auto expect = [&](bool belongs, bool is_in, const char* index) {
    if (belongs == is_in) return;
    found.push_back(
        {"index", ToText(job.id) + " (" + Name(job.state) + "): index of " + index + " is off"});
  };
  expect(job.state == JobState::kQueued, state.queued.contains(job.id), "queued jobs");
  const auto equivalence_class = state.equivalence_classes.find(EquivalenceClassOf(job));
  expect(job.state == JobState::kQueued,
         equivalence_class != state.equivalence_classes.end() &&
             equivalence_class->second.contains(KeyOf(job)),
         "equivalence classes");
  expect(job.state == JobState::kRetryWait, state.retries.contains({job.eligible_at, job.id}),
         "retries");
  const bool is_blocked = job.state == JobState::kBlocked;
  expect(is_blocked && ProspectOf(state, *job.spec) != Prospect::kOpen,
         state.decided.contains(job.id), "decided jobs");
  for (const Dependency& dependency : job.spec->policy.after)
    expect(is_blocked, state.dependents.contains({dependency.job, job.id}), "dependents");
  expect(IsTerminal(job.state), state.finished.contains({job.ended_at, job.id}), "finished jobs");
  expect(!job.nominated_nodes.empty(), state.nominated.contains(job.id), "nominated jobs");
  expect(IsMovable(job), state.movable.contains(job.id), "movable jobs");
  expect(!job.destination.empty(), state.moving.contains(job.id), "jobs being moved");
  expect(IsRecovering(job), state.recovering.contains(job.id), "recovering jobs");
  expect(job.moved_at.ns != 0, state.moved.contains({job.moved_at, job.id}), "moved jobs");
  if (!job.destination.empty() && job.state != JobState::kCheckpointing &&
      job.state != JobState::kQueued) {
    found.push_back({"index", ToText(job.id) + " (" + Name(job.state) +
                                  ") has a destination, but is not being moved"});
  }
  const auto evictable = state.evictable.find({job.pool, ClassOf(job.spec->policy.priority)});
  expect(IsEvictable(job), evictable != state.evictable.end() && evictable->second.contains(job.id),
         "evictable jobs");
  expect(IsBeingPreempted(job), state.preemptions.contains({job.preempted_for, job.id}),
         "preemptions");
  if (job.attempts.empty()) return;
  expect(RunsAgainstLimit(job), state.limits.contains({LimitReachedAt(job), job.id}),
         "time limits");
  expect(RunsAgainstLimit(job) && !job.is_limit_notified,
         state.limit_notices.contains({LimitNoticeAt(job), job.id}), "notices of time limits");
  for (const Reservation* maintenance : InTheWayOf(state, job)) {
    if (!state.maintenance_stops.contains({MaintenanceStopAt(*maintenance, job), job.id}))
      found.push_back({"index", ToText(job.id) + " is in the way of " + maintenance->name +
                                    ", and is not among those that leave"});
  }
}

void CheckIndexSizes(const State& state, Violations& found) {
  std::set<std::pair<JobId, JobId>> dependencies;
  std::set<JobId> requests;
  std::set<std::pair<Instant, JobId>> maintenance_stops;
  size_t queued = 0, retrying = 0, limited = 0, unnotified = 0, ending = 0, finished = 0,
         nominated = 0, movable = 0, moving = 0, moved = 0, recovering = 0, evictable = 0,
         preempted = 0, lost = 0;
  for (const auto& [id, job] : state.jobs) {
    queued += job.state == JobState::kQueued ? 1 : 0;
    retrying += job.state == JobState::kRetryWait ? 1 : 0;
    for (const Dependency& dependency : job.spec->policy.after) {
      if (job.state == JobState::kBlocked) dependencies.insert({dependency.job, id});
    }
    limited += RunsAgainstLimit(job) ? 1 : 0;
    unnotified += RunsAgainstLimit(job) && !job.is_limit_notified ? 1 : 0;
    for (const Reservation* maintenance : InTheWayOf(state, job))
      maintenance_stops.insert({MaintenanceStopAt(*maintenance, job), id});
    ending += HasEnd(job) ? 1 : 0;
    finished += IsTerminal(job.state) ? 1 : 0;
    nominated += job.nominated_nodes.empty() ? 0 : 1;
    movable += IsMovable(job) ? 1 : 0;
    moving += job.destination.empty() ? 0 : 1;
    moved += job.moved_at.ns != 0 ? 1 : 0;
    recovering += IsRecovering(job) ? 1 : 0;
    evictable += IsEvictable(job) ? 1 : 0;
    preempted += IsBeingPreempted(job) ? 1 : 0;
    if (!job.request_id.empty()) requests.insert(SubmittedAs(job));
  }
  for (const Node& node : state.nodes) {
    lost += node.condition == NodeCondition::kLost && !node.leases_expired ? 1 : 0;
  }
  // `dependencies` is a set: a job may depend on another in two ways.
  const auto expect = [&](size_t wanted, size_t size, const char* index) {
    if (wanted != size)
      found.push_back(
          {"index", std::string("index of ") + index + " has entries that do not belong there"});
  };
  expect(queued, state.queued.size(), "queued jobs");
  size_t in_classes = 0;
  for (const auto& [shape, equivalence_class] : state.equivalence_classes) {
    in_classes += equivalence_class.size();
    if (equivalence_class.empty()) found.push_back({"index", "an empty equivalence class is kept"});
  }
  expect(queued, in_classes, "equivalence classes");
  expect(retrying, state.retries.size(), "retries");
  expect(limited, state.limits.size(), "time limits");
  expect(unnotified, state.limit_notices.size(), "notices of time limits");
  expect(maintenance_stops.size(), state.maintenance_stops.size(),
         "jobs in the way of maintenance");
  expect(dependencies.size(), state.dependents.size(), "dependents");
  expect(ending, static_cast<size_t>(state.limited), "jobs that end");
  expect(finished, state.finished.size(), "finished jobs");
  expect(nominated, state.nominated.size(), "nominated jobs");
  expect(movable, state.movable.size(), "movable jobs");
  expect(moving, state.moving.size(), "jobs being moved");
  expect(moved, state.moved.size(), "moved jobs");
  expect(recovering, state.recovering.size(), "recovering jobs");
  size_t in_evictable = 0;
  for (const auto& [pool_class, jobs] : state.evictable) {
    in_evictable += jobs.size();
    if (jobs.empty()) found.push_back({"index", "an empty group of evictable jobs is kept"});
  }
  expect(evictable, in_evictable, "evictable jobs");
  expect(preempted, state.preemptions.size(), "preemptions");
  expect(requests.size(), state.jobs_by_request.size(), "requests");
  expect(lost, state.losses.size(), "losses");
  expect(state.reservations.size(), state.reservation_ends.size(), "ends of reservations");
  expect(state.access.tokens.size(), state.token_ends.size(), "ends of tokens");
  expect(state.nodes.size(), state.nodes_by_name.size(), "names");
  size_t gpus = 0;
  for (const Node& node : state.nodes) {
    for (size_t i = 0; i < node.facts->gpus.size(); ++i) {
      const GpuFacts& gpu = node.facts->gpus[i];
      if (gpu.presence == GpuPresence::kRetired) continue;
      ++gpus;
      const bool is_known = state.gpus_by_uuid.contains({gpu.uuid, {node.id, static_cast<int>(i)}});
      if (!is_known)
        found.push_back({"index", "GPU " + gpu.uuid + " is not where the index has it"});
    }
  }
  expect(gpus, state.gpus_by_uuid.size(), "GPUs by UUID");
}

}  // namespace gp
