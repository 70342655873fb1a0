#include "domain/explaining/present.h"

#include <utility>

namespace gp {
namespace {

bool IsWaitedFor(const State& state, JobId job) {
  const auto first = state.dependents.lower_bound({job, JobId{}});
  return first != state.dependents.end() && first->first == job;
}

// What they were asked with is no longer known: nobody repeats a submit to a copy.
std::map<JobId, Job> OpenJobs(const State& state) {
  std::map<JobId, Job> open;
  for (const auto& [id, job] : state.jobs) {
    if (IsTerminal(job.state) && !IsWaitedFor(state, id)) continue;
    open.emplace_hint(open.end(), id, job)->second.request_id.clear();
  }
  return open;
}

// All fields by name: whoever adds one is told by the compiler.
State WithoutFinished(const State& state) {
  const auto& [policy, lineage, quiet_until, epoch, last_job, last_lease, last_pass, nodes, nodes_by_name, jobs, leases, queues, accounts,
               reservations, jobs_by_request, queued, lines, retries, dependents, decided, limits, limited, losses, reservation_ends,
               finished, preemptions, claimants, movable, moving, moved, yielding, shares_by_class, capacity, gpu_sizes, node_changes, nodes_by_change] = state;
  std::map<JobId, Job> open = OpenJobs(state);
  std::set<std::pair<Instant, JobId>> waited_for;
  for (const auto& [id, job] : open) {
    if (IsTerminal(job.state)) waited_for.insert({job.ended_at, id});
  }
  return {policy, lineage, quiet_until, epoch, last_job, last_lease, last_pass, nodes, nodes_by_name, std::move(open), leases, queues, accounts,
          reservations, {}, queued, lines, retries, dependents, decided, limits, limited, losses, reservation_ends,
          std::move(waited_for), preemptions, claimants, movable, moving, moved, yielding, shares_by_class, capacity, gpu_sizes, node_changes, nodes_by_change};
}

std::vector<PastRun> PastRuns(const State& state) {
  std::vector<PastRun> past;
  size_t looked_at = 0;
  for (auto it = state.finished.rbegin(); it != state.finished.rend() && looked_at < kPastRunsMax; ++it, ++looked_at) {
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
    const bool is_last = attempt.number == job.attempts.back().number && (HoldsLeases(job.state) || IsTerminal(job.state));
    if (!KeepsWork(*job.spec) && !is_last) continue;
    work = work + ((attempt.ended_at.ns == 0 ? at : attempt.ended_at) - attempt.placed_at);
  }
  return work;
}

size_t PartsOf(const State& state) { return state.nodes.size() + state.leases.size() + state.jobs.size() - state.finished.size(); }

Present TakePresent(const State& state) { return {WithoutFinished(state), PastRuns(state)}; }

}  // namespace gp
