#include "domain/cluster/preemption.h"

#include <algorithm>
#include <vector>

#include "domain/cluster/quotas/quota.h"
#include "domain/model/jobs/variants.h"

namespace gp {
namespace {

// Index of the first queue, from the top, that the paths do not share; its size: one lies below the
// other.
size_t Fork(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  size_t same = 0;
  while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
  return same;
}

int64_t ShareHeld(const State& state, const std::string& queue) {
  return HeldNow(state, {queue, ""}).share;
}

int64_t GuaranteedShare(const State& state, const std::string& queue) {
  return state.queues.all.at(queue).guaranteed * kWholeShare;
}

}  // namespace

Contender ContenderOf(const Job& job, Instant at) {
  const Instant placed_at = HoldsLeases(job.state) ? job.attempts.back().placed_at : Instant{};
  return {&job,
          ClassOf(job.spec->policy.priority),
          job.spec->policy.priority,
          ServiceLevel(job, at),
          job.spec->resources.gpus.count,
          placed_at};
}

bool AwaitsVictims(const State& state, JobId job) {
  const auto first = state.jobs.preemptions.lower_bound({job, JobId{}});
  return first != state.jobs.preemptions.end() && first->first == job;
}

Job AsNominated(const Job& by, size_t nodes) {
  Job job = by;
  job.spec = Resolve(by.spec, 0, static_cast<int>(nodes));
  return job;
}

Preemptions::Preemptions(const State& state, Instant at) : state_(&state), at_(at) {
  any_guarantees_ = std::ranges::any_of(state.queues.all,
                                        [](const auto& one) { return one.second.guaranteed > 0; });
  for (const auto& [by, victim] : state.jobs.preemptions) {
    const Job* waiting = state.FindJob(by);
    if (waiting == nullptr) continue;
    if (!HasVariants(*waiting->spec) || waiting->nominated_nodes.empty()) {
      Preempt(*waiting, *state.FindJob(victim));
    } else {
      Preempt(AsNominated(*waiting, waiting->nominated_nodes.size()), *state.FindJob(victim));
    }
  }
}

void Preemptions::Preempt(const Job& by, const Job& victim) {
  if (!any_guarantees_) return;
  const int64_t leaving = HoldingOf(*state_, victim).share;
  for (const std::string& path : PathsTo(victim.queue)) leaving_[path] += leaving;
  if (by.state == JobState::kQueued) CountPlaced(by);
}

void Preemptions::CountPlaced(const Job& job) {
  if (!any_guarantees_) return;
  const int64_t coming = AskOf(*state_, job).share;
  for (const std::string& path : PathsTo(job.queue)) coming_[path][job.id] = coming;
}

// Most pairs are decided by comparing numbers alone.
PreemptionGround Preemptions::GroundFor(const Contender& by, const Contender& victim) const {
  if (by.job_class > victim.job_class) {
    if (by.job->pool != victim.job->pool) return PreemptionGround::kNone;
    if (by.job->queue == victim.job->queue) return PreemptionGround::kClass;
    if (state_->queues.all.at(victim.job->queue).reclaimable &&
        KeepsGuarantees(*by.job, *victim.job))
      return PreemptionGround::kClass;
  }
  const bool had_less = by.job_class == victim.job_class && by.level < victim.level;
  if (had_less && by.job->spec->policy.preemptible && by.job->queue == victim.job->queue)
    return PreemptionGround::kSharedTime;
  return any_guarantees_ && Reclaims(*by.job, *victim.job) ? PreemptionGround::kReclaim
                                                           : PreemptionGround::kNone;
}

bool Preemptions::Reclaims(const Job& by, const Job& victim) const {
  if (by.pool != victim.pool || !state_->queues.all.at(victim.queue).reclaimable) return false;
  const std::vector<std::string> paths = PathsTo(by.queue);
  const size_t fork = Fork(paths, PathsTo(victim.queue));
  return fork < paths.size() && HoldsLessThanGuaranteed(by, paths[fork]) &&
         KeepsGuarantees(by, victim);
}

// Counts this job, and jobs of the queue that were placed or already wait for their victims.
bool Preemptions::HoldsLessThanGuaranteed(const Job& by, const std::string& queue) const {
  const int64_t guaranteed = GuaranteedShare(*state_, queue);
  if (guaranteed == 0) return false;
  int64_t held = ShareHeld(*state_, queue) + AskOf(*state_, by).share;
  const auto coming = coming_.find(queue);
  if (coming != coming_.end()) {
    for (const auto& [job, share] : coming->second) held += job == by.id ? 0 : share;
  }
  return held <= guaranteed;
}

// Whether the preemption leaves other queues their guarantees.
bool Preemptions::KeepsGuarantees(const Job& by, const Job& victim) const {
  if (!any_guarantees_) return true;
  const std::vector<std::string> paths = PathsTo(victim.queue);
  for (size_t i = Fork(PathsTo(by.queue), paths); i < paths.size(); ++i) {
    const int64_t guaranteed = GuaranteedShare(*state_, paths[i]);
    if (guaranteed == 0) continue;
    const auto leaving = leaving_.find(paths[i]);
    const int64_t staying =
        ShareHeld(*state_, paths[i]) - (leaving == leaving_.end() ? 0 : leaving->second);
    if (staying - HoldingOf(*state_, victim).share < guaranteed) return false;
  }
  return true;
}

bool Preemptions::HoldsNow(const Contender& by, const Contender& victim,
                           PreemptionGround ground) const {
  if (at_ - victim.placed_at >= state_->policy.min_run) return true;
  return ground == PreemptionGround::kReclaim &&
         at_ - by.job->queued_at >= state_->policy.reclaim_grace;
}

bool Preemptions::MayPreempt(const Contender& by, const Contender& victim) const {
  const PreemptionGround ground = GroundFor(by, victim);
  return ground != PreemptionGround::kNone && HoldsNow(by, victim, ground);
}

}  // namespace gp
