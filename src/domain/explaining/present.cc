#include "domain/explaining/present.h"

#include <utility>

#include "domain/cluster/dependencies.h"

namespace gp {
namespace {

// Request ids are dropped: no submit is repeated to a copy.
IdMap<JobId, Job> OpenJobs(const State& state) {
  IdMap<JobId, Job> open;
  for (const auto& [id, job] : state.jobs.all) {
    if (IsTerminal(job.state) && !IsWaitedFor(state, job)) continue;
    open.Add(id, job).request_id.clear();
  }
  return open;
}

// Only elements that are still open count as known.
std::map<JobId, Array> ArraysOf(std::map<JobId, Array> arrays, const IdMap<JobId, Job>& open) {
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

JobStore OpenJobStore(const JobStore& jobs, IdMap<JobId, Job> open) {
  JobStore store;
  static_cast<OpenJobIndexes&>(store) = jobs;
  store.last = jobs.last;
  store.arrays = ArraysOf(jobs.arrays, open);
  for (const auto& [id, job] : open) {
    if (IsTerminal(job.state)) store.finished.insert({job.ended_at, id});
  }
  store.all = std::move(open);
  return store;
}

// Left out are finished jobs that nobody waits for, past usage, and who may do what.  GPUs keep
// their present condition: faults, remedies, drains and later months of a budget are not predicted.
State WithoutFinished(const State& state) {
  State open{.policy = state.policy,
             .time = state.time,
             .lineage = state.lineage,
             .quiet_until = state.quiet_until,
             .epoch = state.epoch,
             .last_pass = state.last_pass,
             .nodes = state.nodes,
             .jobs = OpenJobStore(state.jobs, OpenJobs(state)),
             .leases = state.leases,
             .queues = state.queues,
             .reservations = state.reservations,
             .faults = {},
             .access = {},
             .metering = FromNowOn(state.metering)};
  open.nodes.drain_deadlines.clear();
  for (auto& [id, lease] : open.leases.all) lease.metered_until = state.metering.now;
  return open;
}

std::vector<PastRun> PastRuns(const State& state) {
  std::vector<PastRun> past;
  size_t looked_at = 0;
  for (auto it = state.jobs.finished.rbegin();
       it != state.jobs.finished.rend() && looked_at < kPastRunsMax; ++it, ++looked_at) {
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
  return state.nodes.all.size() + state.leases.all.size() + state.jobs.all.size() -
         state.jobs.finished.size();
}

Present TakePresent(const State& state) {
  return {WithoutFinished(state), PastRuns(state), IncidentsOf(state)};
}

}  // namespace gp
