#include <utility>

#include "domain/cluster/quotas/quota.h"
#include "domain/model/jobs/variants.h"
#include "domain/scheduling/pass/pass_steps.h"
#include "domain/scheduling/pick_variant.h"

namespace gp {
namespace {

bool PlaceVariant(PassScratch& pass, const Job& job) {
  const auto is_stopped = [&pass](const Job& as) {
    return FindQuotaStop(pass.state, as, pass.at, pass.planned).has_value();
  };
  auto found = PickVariant(job, pass.classes, pass.rankings, pass.backfill.ClosedTo(job),
                           pass.image_nodes.For(job), is_stopped);
  if (!found) return false;
  const Job& as = pass.variants.emplace_back(std::move(found->job));
  pass.PlaceOnNodes(as, found->pick, found->variant);
  return true;
}

}  // namespace

// A nominated job is counted on its quotas already.
bool Allocate(PassScratch& pass, const Job& job, const JobShape& shape) {
  const bool awaits_victims = pass.awaiting_victims.contains(job.id);
  if (HasVariants(*job.spec)) return !awaits_victims && PlaceVariant(pass, job);
  if (!awaits_victims && pass.IsStoppedByQuota(job)) return false;
  const auto pick = pass.rankings.Of(shape).Find(pass.classes, job, pass.backfill.ClosedTo(job),
                                                 pass.image_nodes.For(job));
  if (!pick) return false;
  pass.PlaceOnNodes(job, *pick);
  return true;
}

}  // namespace gp
