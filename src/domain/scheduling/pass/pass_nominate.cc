#include <set>
#include <string>

#include "domain/cluster/quotas/quota.h"
#include "domain/model/jobs/variants.h"
#include "domain/placement/choose_gpus.h"
#include "domain/placement/place_gang.h"
#include "domain/scheduling/pass/pass_steps.h"

namespace gp {
namespace {

void AwaitVictims(PassScratch& pass, const Job& job) {
  for (const NodeId id : job.nominated_nodes) {
    if (!IsOpenTo(*pass.state.FindNode(id), job)) continue;
    pass.awaiting_victims.insert(job.id);
    pass.backfill.Reserve(id, {job.id, {}});
  }
  if (pass.awaiting_victims.contains(job.id)) pass.CountOnQuotas(job);
}

bool FitsOnNominatedNodes(PassScratch& pass, const Job& job) {
  std::set<std::string> traits;
  const std::set<NodeId>& closed = pass.backfill.ClosedTo(job);
  for (const NodeId id : job.nominated_nodes) {
    if (closed.contains(id)) return false;
    const Node& node = pass.nodes.Of(id);
    const auto choice = ChooseGpus(node, job, pass.rankings.WeightsFor(job.pool));
    if (!choice) return false;
    traits.insert(CommonTrait(*job.spec, node, *choice));
  }
  return traits.size() == 1;
}

void NominateOne(PassScratch& pass, const Job& waiting) {
  const Job& job = HasVariants(*waiting.spec)
                       ? pass.AsPlaced(waiting, 0, static_cast<int>(waiting.nominated_nodes.size()))
                       : waiting;
  if (pass.settled.contains(job.id) || FindQuotaStop(pass.state, job, pass.at, pass.planned))
    return;
  if (AwaitsVictims(pass.state, job.id)) return AwaitVictims(pass, job);
  if (!FitsOnNominatedNodes(pass, job)) return;
  pass.PlaceOnNodes(job, {job.nominated_nodes, job.nominated_nodes.size()});
  pass.settled.insert(job.id);
}

}  // namespace

void Nominate(PassScratch& pass) {
  for (const JobId id : pass.state.jobs.nominated) NominateOne(pass, *pass.state.FindJob(id));
}

}  // namespace gp
