#include <set>

#include "domain/cluster/decide_parts.h"
#include "domain/cluster/preemption.h"
#include "domain/cluster/quota.h"
#include "domain/model/variants.h"

namespace gp {
Status CheckGangNodes(const State& state, const Job& job, const std::vector<NodeId>& nodes) {
  const std::set<NodeId> distinct(nodes.begin(), nodes.end());
  const bool known = distinct.empty() || distinct.rbegin()->value < state.nodes.size();
  const int least = LeastNodes(*job.spec);
  const auto count = static_cast<int>(nodes.size());
  if (known && distinct.size() == nodes.size() && count >= least && count <= job.spec->nodes)
    return Ok();
  return Fail(
      Conflict(NameOf(job) + " needs " + std::to_string(least) + " different nodes that exist"));
}

Status CheckTaker(const State& state, Instant at, const Job& by, const std::vector<NodeId>& nodes) {
  GP_CHECK_OK(CheckGangNodes(state, by, nodes));
  if (const auto stop = FindQuotaStop(state, OnCleared(by, nodes.size()), at))
    return Fail(Conflict(NameOf(by) + " could not take the place: " + ToText(*stop)));
  return Ok();
}

Result<Events> DecidePreemption(const State& state, Instant at, const PreemptJob& command) {
  const Job* victim = state.FindJob(command.job);
  const Job* by = state.FindJob(command.by);
  if (victim == nullptr || by == nullptr)
    return Fail(NotFound("no job " + ToText(victim == nullptr ? command.job : command.by)));
  if (by->state != JobState::kQueued) {
    return Fail(
        Conflict(NameOf(*by) + " is " + Name(by->state) + ": nothing is interrupted for it"));
  }
  const auto refuse = [&](const std::string& why) {
    return Fail(Conflict(NameOf(*victim) + " (" + Name(victim->state) +
                         ") may not be interrupted: " + why));
  };
  if (!MayGiveWay(*victim)) return refuse("it must be preemptible, run, and not be stopping");
  GP_CHECK_OK(CheckTaker(state, at, *by, command.nodes));
  const Takings takings(state, at);
  const Job cleared = OnCleared(*by, command.nodes.size());
  const Standing taker = StandingOf(cleared, at);
  const Standing giver = StandingOf(*victim, at);
  const TakingGround ground = takings.GroundFor(taker, giver);
  if (ground == TakingGround::kNone) return refuse(NameOf(*by) + " has no claim to its place");
  if (!takings.IsRipe(taker, giver, ground)) return refuse("it has not run for min_run");
  return Events{JobPreemptionOrdered{command.pass, victim->id, by->id, command.nodes}};
}

}  // namespace gp
