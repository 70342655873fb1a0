#include "domain/scheduling/find_victims.h"

#include <algorithm>

#include "domain/cluster/preemption.h"
#include "domain/scheduling/room.h"

namespace gp {
std::optional<Victims> FindVictims(const State& state, const ScratchNodes& nodes,
                                   Interruptible& interruptible, const std::set<NodeId>& reserved,
                                   const Job& job) {
  const std::vector<Standing>& candidates = interruptible.For(job).victims;
  if (candidates.empty()) return std::nullopt;
  const Instant at = interruptible.at();
  // For a gang from several nodes: one after the other, as each counts for the next.
  const auto may_take_all = [&state, &interruptible, &job, at,
                             by = StandingOf(job, at)](const std::vector<const Job*>& victims) {
    Takings takings = interruptible.takings();
    return std::ranges::all_of(victims, [&](const Job* victim) {
      const bool may = takings.MayTake(by, StandingOf(*victim, at));
      takings.Take(job, *victim);
      return may;
    });
  };
  RoomSearch search(state, nodes, at, job, may_take_all);
  ByNode by_node(state, candidates);
  const auto clearing = search.Find(by_node.Open(reserved, job.spec->nodes > 1));
  if (!clearing) return std::nullopt;
  Victims found;
  found.nodes = clearing->nodes;
  for (const Job* victim : clearing->leaving) found.jobs.push_back(victim->id);
  std::ranges::sort(found.jobs);
  return found;
}

}  // namespace gp
