#include "domain/explaining/present.h"

#include <utility>

#include "domain/cluster/dependencies.h"

namespace gp {
namespace {

// Request ids are dropped: no submit is repeated to a copy.
std::map<JobId, Job> OpenJobs(const State& state) {
  std::map<JobId, Job> open;
  for (const auto& [id, job] : state.jobs) {
    if (IsTerminal(job.state) && !IsWaitedFor(state, job)) continue;
    open.emplace_hint(open.end(), id, job)->second.request_id.clear();
  }
  return open;
}

// Only elements that are still open count as known.
std::map<JobId, Array> ArraysOf(std::map<JobId, Array> arrays, const std::map<JobId, Job>& open) {
  for (auto& [id, array] : arrays) array.known = 0;
  for (const auto& [id, job] : open) {
    if (job.array.value != 0) ++arrays.at(job.array).known;
  }
  std::erase_if(arrays, [](const auto& one) { return one.second.known == 0; });
  return arrays;
}

UsageMeter FromNowOn(const UsageMeter& meter, Instant now) {
  UsageMeter fresh{{{}, meter.ledger.today, {}}, meter.rates};
  for (auto& [row, rate] : fresh.rates) rate.since = now;
  return fresh;
}

// Past usage does not matter for the future.
Metering FromNowOn(const Metering& metering) {
  return {metering.now,
          FromNowOn(metering.used, metering.now),
          FromNowOn(metering.installed, metering.now),
          {},
          {}};
}

std::map<LeaseId, Lease> MeteredFrom(Instant now, std::map<LeaseId, Lease> leases) {
  for (auto& [id, lease] : leases) lease.metered_until = now;
  return leases;
}

// All fields by name, so that the compiler reports a new one.  GPUs keep their present condition:
// faults, remedies and later months of a budget are not predicted.
State WithoutFinished(const State& state) {
  const auto& [policy, time, lineage, quiet_until, epoch, last_job, last_lease, last_pass,
               last_incident, last_task, last_token, nodes, nodes_by_name, gpus_by_uuid, jobs,
               arrays, leases, queues, accounts, reservations, troubles, incidents, out_of_service,
               breakers, drain_deadlines, access, budgets, budget_levels, metering, jobs_by_request,
               queued, equivalence_classes, retries, dependents, decided, limits, limit_notices,
               limited, losses, reservation_ends, maintenance_stops, token_ends, finished,
               preemptions, nominated, movable, moving, recovering, moved, remedies, incident_ends,
               closed_incidents, evictable, shares_by_class, capacity, gpu_sizes, node_changes,
               nodes_by_change] = state;
  std::map<JobId, Job> open = OpenJobs(state);
  std::set<std::pair<Instant, JobId>> waited_for;
  for (const auto& [id, job] : open) {
    if (IsTerminal(job.state)) waited_for.insert({job.ended_at, id});
  }
  std::map<JobId, Array> open_arrays = ArraysOf(arrays, open);
  return {policy,
          time,
          lineage,
          quiet_until,
          epoch,
          last_job,
          last_lease,
          last_pass,
          last_incident,
          last_task,
          last_token,
          nodes,
          nodes_by_name,
          gpus_by_uuid,
          std::move(open),
          std::move(open_arrays),
          MeteredFrom(metering.now, leases),
          queues,
          accounts,
          reservations,
          {},
          {},
          {},
          {},
          {},
          {},
          budgets,
          budget_levels,
          FromNowOn(metering),
          {},
          queued,
          equivalence_classes,
          retries,
          dependents,
          decided,
          limits,
          limit_notices,
          limited,
          losses,
          reservation_ends,
          maintenance_stops,
          {},
          std::move(waited_for),
          preemptions,
          nominated,
          movable,
          moving,
          recovering,
          moved,
          {},
          {},
          {},
          evictable,
          shares_by_class,
          capacity,
          gpu_sizes,
          node_changes,
          nodes_by_change};
}

std::vector<PastRun> PastRuns(const State& state) {
  std::vector<PastRun> past;
  size_t looked_at = 0;
  for (auto it = state.finished.rbegin(); it != state.finished.rend() && looked_at < kPastRunsMax;
       ++it, ++looked_at) {
    const Job& job = *state.FindJob(it->second);
    const Duration length = WorkOf(job, job.ended_at);
    if (length.ns > 0) past.push_back({job.spec, job.user.name, job.queue, job.pool, length});
  }
  return past;
}

}  // namespace

Duration WorkOf(const Job& job, Instant at) {
  Duration work;
  for (const AttemptRecord& attempt : job.attempts) {
    const bool is_last = attempt.number == job.attempts.back().number &&
                         (HoldsLeases(job.state) || IsTerminal(job.state));
    if (!KeepsWork(*job.spec) && !is_last) continue;
    work = work + ((attempt.ended_at.ns == 0 ? at : attempt.ended_at) - attempt.placed_at);
  }
  return work;
}

size_t PartsOf(const State& state) {
  return state.nodes.size() + state.leases.size() + state.jobs.size() - state.finished.size();
}

Present TakePresent(const State& state) {
  return {WithoutFinished(state), PastRuns(state), IncidentsOf(state)};
}

}  // namespace gp
