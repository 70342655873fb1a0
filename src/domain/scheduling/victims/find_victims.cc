#include "domain/scheduling/victims/find_victims.h"

#include <algorithm>

#include "domain/cluster/preemption.h"
#include "domain/scheduling/victims/candidates_by_node.h"
#include "domain/scheduling/victims/victim_search.h"

namespace gp {

std::optional<Victims> FindVictims(const State& state, const ScratchNodes& nodes,
                                   PreemptionCandidates& preemption_candidates,
                                   const std::set<NodeId>& reserved, const Job& job) {
  const std::vector<Contender>& candidates = preemption_candidates.For(job).victims;
  if (candidates.empty()) return std::nullopt;
  const Instant at = preemption_candidates.at();
  // A gang has victims on several nodes. They are checked one after the other, because each one
  // changes what may be preempted next.
  const auto may_preempt_all = [&state, &preemption_candidates, &job, at,
                                by = ContenderOf(job, at)](const std::vector<const Job*>& victims) {
    Preemptions preemptions = preemption_candidates.preemptions();
    return std::ranges::all_of(victims, [&](const Job* victim) {
      const bool may = preemptions.MayPreempt(by, ContenderOf(*victim, at));
      preemptions.Preempt(job, *victim);
      return may;
    });
  };
  VictimSearch search(state, nodes, at, job, may_preempt_all);
  CandidatesByNode by_node(state, candidates);
  const auto eviction = search.Find(by_node.Open(reserved, job.spec->resources.nodes > 1));
  if (!eviction) return std::nullopt;
  Victims found;
  found.nodes = eviction->nodes;
  for (const Job* victim : eviction->victims) found.jobs.push_back(victim->id);
  std::ranges::sort(found.jobs);
  return found;
}

}  // namespace gp
