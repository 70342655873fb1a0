#include "domain/scheduling/interruptible.h"

#include <algorithm>
#include <initializer_list>

namespace gp {
namespace {

// Service levels grow with time alone: to be looked at again after so long.
constexpr Duration kLookAgain = Duration::Minutes(1);

JobId IdOf(const Standing& standing) { return standing.job->id; }

// The jobs of these ids, in their order.  Most of them stand close to the one before: a few steps
// are less than a search.
std::vector<const Job*> JobsInOrder(const State& state, const std::set<JobId>& ids) {
  constexpr int kStepsMax = 4;
  std::vector<const Job*> jobs;
  jobs.reserve(ids.size());
  auto at = state.jobs.begin();
  for (const JobId id : ids) {
    for (int steps = 0; steps < kStepsMax && at != state.jobs.end() && at->first < id; ++steps)
      ++at;
    if (at == state.jobs.end() || at->first != id) at = state.jobs.find(id);
    jobs.push_back(&at->second);
  }
  return jobs;
}

// Jobs lie far apart in memory: what decides about those to come is fetched while the ones before
// are looked at.
void FetchAhead(const std::vector<const Job*>& jobs, size_t now) {
  constexpr size_t kFar = 16;
  constexpr size_t kNear = 8;
  if (now + kFar < jobs.size()) {
    const Job& job = *jobs[now + kFar];
    for (const void* part : std::initializer_list<const void*>{&job.spec, &job.queue, &job.state,
                                                               &job.attained_gpu_ms, &job.attempts})
      __builtin_prefetch(part);
  }
  if (now + kNear < jobs.size()) {
    const Job& job = *jobs[now + kNear];
    __builtin_prefetch(&job.spec->priority);
    __builtin_prefetch(&job.spec->gpus);
    __builtin_prefetch(&job.attempts.back());
  }
}

}  // namespace

Interruptible::Interruptible(const State& state, Instant at)
    : state_(state), at_(at), takings_(state, at) {}

const Interruptible::Group& Interruptible::Of(const PoolClass& pool_class) {
  const auto [at, is_new] = groups_.try_emplace(pool_class);
  Group& group = at->second;
  const auto yielding = state_.yielding.find(pool_class);
  if (!is_new || yielding == state_.yielding.end()) return group;
  const std::vector<const Job*> jobs = JobsInOrder(state_, yielding->second);
  for (size_t i = 0; i < jobs.size(); ++i) {
    FetchAhead(jobs, i);
    group.standings.push_back(StandingOf(*jobs[i], at_));
    group.highest_level = std::max(group.highest_level, group.standings.back().level);
  }
  return group;
}

const Interruptible::Takeable& Interruptible::For(const Job& job) {
  const Standing by = StandingOf(job, at_);
  const auto [known, is_new] =
      known_.try_emplace({by.job_class, by.level, job.spec->preemptible, job.queue, job.pool});
  if (is_new || takings_.any_guarantees()) known->second = WorkOut(job);
  return known->second;
}

Interruptible::Takeable Interruptible::WorkOut(const Job& job) {
  Takeable takeable;
  const auto consider = [&](Instant at) {
    if (at > at_ && (takeable.next.ns == 0 || at < takeable.next)) takeable.next = at;
  };
  const Standing by = StandingOf(job, at_);
  bool meets_nobody = job.spec->preemptible;  // of its queue, with whom it would share time, so far
  const auto meet = [&](const Standing& candidate) {
    if (!meets_nobody || candidate.job->queue != job.queue) return;
    consider(at_ + kLookAgain);
    meets_nobody = false;
  };
  const auto look_at = [&](const Standing& candidate) {
    meet(candidate);
    const TakingGround ground = takings_.GroundFor(by, candidate);
    if (ground == TakingGround::kNone) return;
    if (takings_.IsRipe(by, candidate, ground)) takeable.victims.push_back(candidate);
    consider(candidate.placed_at + state_.policy.min_run);
    if (ground == TakingGround::kReclaim) consider(job.queued_at + state_.policy.reclaim_grace);
  };
  for (int job_class = 0; job_class < kClasses; ++job_class) {
    const bool may = job_class < by.job_class ||
                     (job_class == by.job_class && job.spec->preemptible) ||
                     takings_.any_guarantees();
    if (!may) continue;
    const Group& group = Of({job.pool, job_class});
    // Of its own class only those give way that have had more time.
    const bool nobody_had_more =
        job_class == by.job_class && group.highest_level <= by.level && !takings_.any_guarantees();
    if (!nobody_had_more) {
      std::ranges::for_each(group.standings, look_at);
    } else if (meets_nobody) {
      const auto of_its_queue = std::ranges::find(
          group.standings, job.queue,
          [](const Standing& one) -> const std::string& { return one.job->queue; });
      if (of_its_queue != group.standings.end()) meet(*of_its_queue);
    }
  }
  return takeable;
}

void Interruptible::CountPlaced(const Job& job) {
  takings_.CountPlaced(job);
  if (takings_.any_guarantees()) known_.clear();
}

void Interruptible::Take(const Job& by, JobId victim) {
  takings_.Take(by, *state_.FindJob(victim));
  known_.clear();
  for (auto& [pool_class, group] : groups_) {
    const auto found = std::ranges::lower_bound(group.standings, victim, {}, IdOf);
    if (found != group.standings.end() && IdOf(*found) == victim) group.standings.erase(found);
  }
}

}  // namespace gp
