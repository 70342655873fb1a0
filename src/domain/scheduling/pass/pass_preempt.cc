#include "domain/scheduling/pass/pass_steps.h"
#include "domain/scheduling/victims/find_victims.h"

namespace gp {
namespace {

PreemptionCandidates& CandidatesOf(PassScratch& pass) {
  if (!pass.preemption_candidates) {
    pass.preemption_candidates.emplace(pass.state, pass.at);
    for (const Job* placed : pass.placed) pass.preemption_candidates->CountPlaced(*placed);
  }
  return *pass.preemption_candidates;
}

}  // namespace

bool Preempt(PassScratch& pass, const Job& job) {
  PreemptionCandidates& candidates = CandidatesOf(pass);
  const PreemptionCandidates::Eligible& eligible = candidates.For(job);
  if (eligible.next.ns != 0) pass.LookAgainAt(eligible.next);
  if (eligible.victims.empty()) return false;
  const auto victims =
      FindVictims(pass.state, pass.nodes, candidates, pass.backfill.OfOthers(job), job);
  if (!victims) return false;
  for (const JobId victim : victims->jobs) {
    pass.plan.steps.push_back(PreemptJob{pass.state.last_pass + 1, victim, job.id, victims->nodes});
    candidates.Preempt(job, victim);
  }
  for (const NodeId id : victims->nodes) pass.backfill.Reserve(id, {job.id, {}});
  pass.CountOnQuotas(job);
  return true;
}

}  // namespace gp
