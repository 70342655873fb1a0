#include "domain/scheduling/pass/pass.h"

#include <set>
#include <tuple>
#include <utility>

#include "domain/model/jobs/variants.h"
#include "domain/scheduling/pass/pass_steps.h"

namespace gp {
namespace {

// What decides whether a job fails like another one: its equivalence class without its run time,
// and which nodes it finds closed.
using Attempt = std::tuple<EquivalenceClass, size_t, int>;

Attempt AttemptOf(PassScratch& pass, const QueueOrder::Candidate& candidate) {
  EquivalenceClass alike = *candidate.equivalence_class;
  alike.stay = Duration{};
  return {std::move(alike), pass.backfill.BoundOf(*candidate.job), pass.backfill.changes()};
}

// Equivalence classes that differ only in the run time of their jobs, and find the same nodes
// closed, fail alike. Many different time limits therefore cost no more than one.
bool TryUnlessInVain(PassScratch& pass, const QueueOrder::Candidate& candidate,
                     std::set<Attempt>& in_vain) {
  const Job& job = *candidate.job;
  const JobShape& shape = candidate.equivalence_class->shape;
  if (candidate.equivalence_class->stay == kForever || MayReserve(pass, job) ||
      pass.awaiting_victims.contains(job.id))
    return TryJob(pass, job, shape);
  Attempt attempt = AttemptOf(pass, candidate);
  if (in_vain.contains(attempt)) return false;
  if (TryJob(pass, job, shape)) return true;
  in_vain.insert(std::move(attempt));
  return false;
}

void TryQueue(PassScratch& pass) {
  std::set<Attempt> in_vain;
  while (const auto candidate = pass.queue_order.Next()) {
    if (pass.settled.contains(candidate->job->id) || TryUnlessInVain(pass, *candidate, in_vain))
      pass.queue_order.Follow(*candidate);
  }
}

void LookAgainAtReservations(PassScratch& pass) {
  for (const auto& [name, reservation] : pass.state.reservations.all) {
    if (reservation.starts_at > pass.at) pass.LookAgainAt(reservation.starts_at);
  }
}

}  // namespace

// Preempt and Reserve consider only the job's own fields, not `any_of`, on the fewest nodes.
bool TryJob(PassScratch& pass, const Job& job, const JobShape& shape) {
  if (Allocate(pass, job, shape)) return true;
  const Job& own = HasVariants(*job.spec) ? pass.AsPlaced(job, 0, LeastNodes(*job.spec)) : job;
  const bool awaits_victims = pass.awaiting_victims.contains(job.id);
  if (!awaits_victims && pass.IsStoppedByQuota(own)) return false;
  const bool has_victims = awaits_victims || Preempt(pass, own);
  Reserve(pass, own, has_victims);
  return has_victims;
}

Plan MakePlan(const PassInput& input) {
  PassScratch pass(input);
  Migrate(pass);
  Recover(pass);
  Nominate(pass);
  TryQueue(pass);  // each job: Allocate, Preempt, Reserve
  LookAgainAtReservations(pass);
  pass.plan.made_at = pass.at;
  pass.plan.backfill = pass.backfill.all();
  return std::move(pass.plan);
}

}  // namespace gp
