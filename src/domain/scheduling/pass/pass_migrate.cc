#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "domain/cluster/arrays.h"
#include "domain/cluster/moves.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/model/jobs/variants.h"
#include "domain/placement/choose_gpus.h"
#include "domain/placement/place_gang.h"
#include "domain/scheduling/pass/pass_steps.h"

namespace gp {
namespace {

// The job with its variant, if it waits to start at its destination.
const Job& AsGiven(PassScratch& pass, const Job& job) {
  if (job.state != JobState::kQueued || !HasVariants(*job.spec)) return job;
  return pass.AsPlaced(job, job.variant, static_cast<int>(job.destination.size()));
}

std::optional<PlaceGang> PlaceAtDestination(PassScratch& pass, const Job& job) {
  PlaceGang place{
      0, job.id, {}, "moved for " + NameOf(pass.state, job.moved_for) + ":", job.variant};
  const std::set<NodeId>& closed = pass.backfill.ClosedTo(job);
  std::set<std::string> traits;
  for (const RankTarget& target : job.destination) {
    const Node& node = pass.nodes.Of(target.node);
    const auto choice =
        closed.contains(target.node) ? std::nullopt : ChooseExactly(node, job, target.gpus);
    if (!choice) return std::nullopt;
    traits.insert(CommonTrait(*job.spec, node, *choice));
    place.ranks.push_back(choice->placement);
    place.note += " " + ToText(node, target.gpus);
  }
  if (traits.size() != 1) return std::nullopt;
  return place;
}

PlaceGang FreeOfDestination(const PassScratch& pass, const Job& job) {
  PlaceGang free;
  free.job = job.id;
  for (const RankTarget& target : job.destination) {
    const Node& node = pass.nodes.Of(target.node);
    RankPlacement& rank = free.ranks.emplace_back(RankPlacement{target.node, {}, {}});
    for (GpuMask rest = target.gpus & EligibleGpus(node, job); rest != 0; rest &= rest - 1) {
      const int gpu = std::countr_zero(rest);
      rank.gpus.push_back(GrantOn(node, job, gpu));
    }
  }
  return free;
}

// What the job will need of its quotas. If that is less than it uses now, the difference stays in
// use until it has stopped.
void CountAtDestination(PassScratch& pass, const Job& job) {
  if (job.state == JobState::kQueued) return pass.CountOnQuotas(job);
  const Holding ask = AskOf(pass.state, job);
  const Holding now = HoldingOf(pass.state, job);
  const Holding more{std::max<int64_t>(ask.share - now.share, 0),
                     std::max<int64_t>(ask.firm_share - now.firm_share, 0),
                     std::max<int64_t>(ask.jobs - now.jobs, 0)};
  for (const AccountId& account : AccountsOf(job)) pass.planned[account] += more;
}

// Jobs of the same moves may still hold a part of the destination: the rest is held. If it is lost
// for another reason, the job waits in the queue.
void GoToDestination(PassScratch& pass, const Job& job) {
  const bool is_waiting = job.state == JobState::kQueued;
  if (is_waiting && FindQuotaStop(pass.state, job, pass.at, pass.planned)) return;
  auto place = PlaceAtDestination(pass, job);
  if (is_waiting && place) {
    pass.Place(job, *std::move(place));
  } else if (is_waiting && !AwaitsVictims(pass.state, job.moved_for)) {
    return;
  } else {
    CountAtDestination(pass, job);
    pass.HoldBack(job, place ? *place : FreeOfDestination(pass, job));
  }
  if (is_waiting) pass.settled.insert(job.id);
}

}  // namespace

void Migrate(PassScratch& pass) {
  for (const JobId id : pass.state.jobs.moving) {
    const Job& moving = *pass.state.FindJob(id);
    if (HoldsDestination(pass.state, moving, pass.at)) GoToDestination(pass, AsGiven(pass, moving));
  }
}

}  // namespace gp
