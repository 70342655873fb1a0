#include "domain/scheduling/interruptible.h"

#include <algorithm>

namespace gp {
namespace {

// Service levels grow with time alone: to be looked at again after so long.
constexpr Duration kLookAgain = Duration::Minutes(1);

}  // namespace

Interruptible::Interruptible(const State& state, Instant at) : state_(state), at_(at), takings_(state, at) {}

const std::vector<Standing>& Interruptible::Group(const PoolClass& pool_class) {
  const auto [group, is_new] = groups_.try_emplace(pool_class);
  const auto yielding = state_.yielding.find(pool_class);
  if (!is_new || yielding == state_.yielding.end()) return group->second;
  for (const JobId id : yielding->second) group->second.push_back(StandingOf(*state_.FindJob(id), at_));
  return group->second;
}

const Interruptible::Takeable& Interruptible::For(const Job& job) {
  const Standing by = StandingOf(job, at_);
  const auto [known, is_new] = known_.try_emplace({by.job_class, by.level, job.spec->preemptible, job.queue, job.pool});
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
  const auto look_at = [&](const Standing& candidate) {
    if (meets_nobody && candidate.job->queue == job.queue) {
      consider(at_ + kLookAgain);
      meets_nobody = false;
    }
    const TakingGround ground = takings_.GroundFor(by, candidate);
    if (ground == TakingGround::kNone) return;
    if (takings_.IsRipe(job, *candidate.job, ground)) takeable.victims.push_back(candidate);
    consider(candidate.job->attempts.back().placed_at + state_.policy.min_run);
    if (ground == TakingGround::kReclaim) consider(job.queued_at + state_.policy.reclaim_grace);
  };
  for (int job_class = 0; job_class < kClasses; ++job_class) {
    const bool may = job_class < by.job_class || (job_class == by.job_class && job.spec->preemptible) || takings_.any_guarantees();
    if (may) std::ranges::for_each(Group({job.pool, job_class}), look_at);
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
    std::erase_if(group, [victim](const Standing& candidate) { return candidate.job->id == victim; });
  }
}

}  // namespace gp
