#include <algorithm>
#include <optional>
#include <set>

#include "domain/scheduling/pass/pass_steps.h"

namespace gp {
namespace {

bool AnyTimeLimits(const PassScratch& pass) {
  return pass.state.jobs.limited > 0 || std::ranges::any_of(pass.placed, [](const Job* job) {
           return job->spec->policy.time_limit.ns != 0;
         });
}

// Where and when the job can certainly start first.
std::optional<ReadyTimes::Ready> FindReady(PassScratch& pass, const Job& job, ShapeRanking& ranking,
                                           const std::set<NodeId>& taken) {
  if (!AnyTimeLimits(pass)) return std::nullopt;
  return pass.ready_times.Find(pass.state, pass.at, pass.nodes,
                               ranking.AbleWhenEmpty(pass.classes, job, taken), job);
}

}  // namespace

bool MayReserve(const PassScratch& pass, const Job& job) {
  return pass.at - job.queued_at >= ReservesAfter(pass.state.policy, *job.spec) &&
         !pass.pools_with_reservation.contains(job.pool);
}

void Reserve(PassScratch& pass, const Job& job, bool only_if_sure) {
  if (!MayReserve(pass, job)) return;
  ShapeRanking& ranking = pass.rankings.Of(ShapeOf(job));
  const std::set<NodeId> taken = pass.backfill.Taken(job);
  const auto ready = FindReady(pass, job, ranking, taken);
  if (!ready && only_if_sure) return;
  const Instant shadow_time = ready                               ? ready->at
                              : ReadyTimes::CanPredict(*job.spec) ? kUnknownStart
                                                                  : Instant{};
  for (const NodeId id : ready ? ready->nodes : ranking.FindEmptied(pass.classes, job, taken)) {
    pass.backfill.Reserve(id, {job.id, shadow_time});
    pass.pools_with_reservation.insert(job.pool);
    pass.CountOnQuotas(job);
  }
}

}  // namespace gp
