#include "domain/scheduling/find_victims.h"

#include <algorithm>

#include "domain/cluster/preemption.h"
#include "domain/scheduling/room.h"

namespace gp {
std::optional<Victims> FindVictims(const State& state, const ScratchNodes& nodes, Interruptible& interruptible,
                                   const std::set<NodeId>& reserved, const Job& job) {
  const std::vector<Standing>& candidates = interruptible.For(job).victims;
  if (candidates.empty()) return std::nullopt;
  const Instant at = interruptible.at();
  // For a gang from several nodes: one after the other, as each counts for the next.
  const auto may_take_all = [&state, &interruptible, &job, at, by = StandingOf(job, at)](const std::vector<const Job*>& victims) {
    Takings takings = interruptible.takings();
    return std::ranges::all_of(victims, [&](const Job* victim) {
      const bool may = takings.MayTake(by, StandingOf(*victim, at));
      takings.Take(job, *victim);
      return may;
    });
  };
  RoomSearch search(state, nodes, at, job, may_take_all);
  ByNode by_node(state, candidates);
  const auto rooms = search.FindCheapest(by_node.Open(reserved, job.spec->nodes > 1));
  if (!rooms) return std::nullopt;
  const std::vector<const Job*> victims = search.Gather(*rooms);
  if (!may_take_all(victims)) return std::nullopt;
  Victims found;
  for (const Room& room : *rooms) found.nodes.push_back(room.node);
  for (const Job* victim : victims) found.jobs.push_back(victim->id);
  std::ranges::sort(found.jobs);
  std::ranges::sort(found.nodes);
  return found;
}

}  // namespace gp
