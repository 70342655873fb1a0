#include "domain/scheduling/victims/preemption_candidates.h"

#include <algorithm>
#include <initializer_list>

namespace gp {
namespace {

// Service levels grow with time alone, so the pass looks again at this interval.
constexpr Duration kLookAgain = Duration::Minutes(1);

JobId IdOf(const Contender& contender) { return contender.job->id; }

std::vector<const Job*> JobsInOrder(const State& state, const std::set<JobId>& ids) {
  std::vector<const Job*> jobs;
  jobs.reserve(ids.size());
  for (const JobId id : ids) jobs.push_back(state.FindJob(id));
  return jobs;
}

// Jobs are far apart in memory: prefetches what decides about the next jobs.
void FetchAhead(const std::vector<const Job*>& jobs, size_t current) {
  constexpr size_t kFar = 16;
  constexpr size_t kNear = 8;
  if (current + kFar < jobs.size()) {
    const Job& job = *jobs[current + kFar];
    for (const void* part : std::initializer_list<const void*>{&job.spec, &job.queue, &job.state,
                                                               &job.attained_gpu_ms, &job.attempts})
      __builtin_prefetch(part);
  }
  if (current + kNear < jobs.size()) {
    const Job& job = *jobs[current + kNear];
    __builtin_prefetch(&job.spec->policy.priority);
    __builtin_prefetch(&job.spec->resources.gpus);
    __builtin_prefetch(&job.attempts.back());
  }
}

}  // namespace

PreemptionCandidates::PreemptionCandidates(const State& state, Instant at)
    : state_(state), at_(at), preemptions_(state, at) {}

const PreemptionCandidates::Group& PreemptionCandidates::Of(const PoolClass& pool_class) {
  const auto [found, is_new] = groups_.try_emplace(pool_class);
  Group& group = found->second;
  const auto evictable = state_.jobs.evictable.find(pool_class);
  if (!is_new || evictable == state_.jobs.evictable.end()) return group;
  const std::vector<const Job*> jobs = JobsInOrder(state_, evictable->second);
  for (size_t i = 0; i < jobs.size(); ++i) {
    FetchAhead(jobs, i);
    group.contenders.push_back(ContenderOf(*jobs[i], at_));
    group.highest_level = std::max(group.highest_level, group.contenders.back().level);
  }
  return group;
}

const PreemptionCandidates::Eligible& PreemptionCandidates::For(const Job& job) {
  const Contender by = ContenderOf(job, at_);
  const auto [known, is_new] = known_.try_emplace(
      {by.job_class, by.level, job.spec->policy.preemptible, job.queue, job.pool});
  if (is_new || preemptions_.any_guarantees()) known->second = ComputeEligible(job);
  return known->second;
}

PreemptionCandidates::Eligible PreemptionCandidates::ComputeEligible(const Job& job) {
  Eligible eligible;
  const auto consider = [&](Instant at) {
    if (at > at_ && (eligible.next.ns == 0 || at < eligible.next)) eligible.next = at;
  };
  const Contender by = ContenderOf(job, at_);
  // A peer is a candidate of the same queue: preemptible jobs share time with it. One peer is
  // enough to look again, because service levels change.
  bool seeks_peer = job.spec->policy.preemptible;
  const auto note_peer = [&](const Contender& candidate) {
    if (!seeks_peer || candidate.job->queue != job.queue) return;
    consider(at_ + kLookAgain);
    seeks_peer = false;
  };
  const auto look_at = [&](const Contender& candidate) {
    note_peer(candidate);
    const PreemptionGround ground = preemptions_.GroundFor(by, candidate);
    if (ground == PreemptionGround::kNone) return;
    if (preemptions_.HoldsNow(by, candidate, ground)) eligible.victims.push_back(candidate);
    consider(candidate.placed_at + state_.policy.min_run);
    if (ground == PreemptionGround::kReclaim) consider(job.queued_at + state_.policy.reclaim_grace);
  };
  for (int job_class = 0; job_class < kClasses; ++job_class) {
    const bool may = job_class < by.job_class ||
                     (job_class == by.job_class && job.spec->policy.preemptible) ||
                     preemptions_.any_guarantees();
    if (!may) continue;
    const Group& group = Of({job.pool, job_class});
    // In its own class it may preempt only jobs with a higher service level.
    const bool none_has_higher_level = job_class == by.job_class &&
                                       group.highest_level <= by.level &&
                                       !preemptions_.any_guarantees();
    if (!none_has_higher_level) {
      std::ranges::for_each(group.contenders, look_at);
    } else if (seeks_peer) {
      const auto of_its_queue = std::ranges::find(
          group.contenders, job.queue,
          [](const Contender& one) -> const std::string& { return one.job->queue; });
      if (of_its_queue != group.contenders.end()) note_peer(*of_its_queue);
    }
  }
  return eligible;
}

void PreemptionCandidates::CountPlaced(const Job& job) {
  preemptions_.CountPlaced(job);
  if (preemptions_.any_guarantees()) known_.clear();
}

void PreemptionCandidates::Preempt(const Job& by, JobId victim) {
  preemptions_.Preempt(by, *state_.FindJob(victim));
  known_.clear();
  for (auto& [pool_class, group] : groups_) {
    const auto found = std::ranges::lower_bound(group.contenders, victim, {}, IdOf);
    if (found != group.contenders.end() && IdOf(*found) == victim) group.contenders.erase(found);
  }
}

}  // namespace gp
