#include "domain/model/jobs/variants.h"
#include "domain/placement/choose_gpus.h"
#include "domain/scheduling/pass/pass_steps.h"

namespace gp {
namespace {

PlaceGang RestOfPlace(const PassScratch& pass, const Job& job) {
  PlaceGang rest;
  rest.job = job.id;
  for (const RankRecord& rank : job.attempts.back().ranks) {
    const Node& node = pass.nodes.Of(rank.node);
    if (!IsOpenTo(node, job)) continue;
    RankPlacement& left = rest.ranks.emplace_back(RankPlacement{rank.node, {}, {}});
    const GpuMask eligible = EligibleGpus(node, job);
    for (const int gpu : rank.gpus) {
      const bool is_free = gpu < static_cast<int>(node.gpus.size()) && (eligible >> gpu & 1) != 0;
      if (is_free) left.gpus.push_back(GrantOn(node, job, gpu));
    }
  }
  return rest;
}

void RecoverOne(PassScratch& pass, const Job& job) {
  const bool is_waiting = job.state == JobState::kQueued;
  if (is_waiting && (pass.at >= job.recovers_until || pass.settled.contains(job.id) ||
                     pass.IsStoppedByQuota(job)))
    return;
  if (is_waiting) {
    pass.settled.insert(job.id);
    pass.LookAgainAt(job.recovers_until);
    if (TryJob(pass, job, ShapeOf(job))) return;
    pass.CountOnQuotas(job);
  }
  if (HasVariants(*job.spec)) return;
  pass.HoldBack(job, RestOfPlace(pass, job));
}

}  // namespace

void Recover(PassScratch& pass) {
  for (const JobId id : pass.state.jobs.recovering) RecoverOne(pass, *pass.state.FindJob(id));
}

}  // namespace gp
