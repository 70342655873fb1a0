#include <set>

#include "domain/cluster/decide/decide_parts.h"
#include "domain/cluster/preemption.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/model/jobs/variants.h"

namespace gp {

Status CheckGangNodes(const State& state, const Job& job, const std::vector<NodeId>& nodes) {
  const std::set<NodeId> distinct(nodes.begin(), nodes.end());
  const bool known = distinct.empty() || distinct.rbegin()->value < state.nodes.all.size();
  const int least = LeastNodes(*job.spec);
  const auto count = static_cast<int>(nodes.size());
  if (known && distinct.size() == nodes.size() && count >= least &&
      count <= job.spec->resources.nodes)
    return Ok();
  return Fail(
      Conflict(NameOf(job) + " needs " + std::to_string(least) + " different nodes that exist"));
}

Status CheckPreemptor(const State& state, Instant at, const Job& by,
                      const std::vector<NodeId>& nodes) {
  GP_CHECK_OK(CheckGangNodes(state, by, nodes));
  if (const auto stop = FindQuotaStop(state, AsNominated(by, nodes.size()), at))
    return Fail(Conflict(NameOf(by) + " could not start there: " + ToText(*stop)));
  return Ok();
}

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const PreemptJob& command) {
  const Instant at = envelope.at;
  const Job* victim = state.FindJob(command.job);
  const Job* by = state.FindJob(command.by);
  if (victim == nullptr || by == nullptr)
    return Fail(NotFound("no job " + ToText(victim == nullptr ? command.job : command.by)));
  if (by->state != JobState::kQueued) {
    return Fail(Conflict(NameOf(*by) + " is " + Name(by->state) + ": nothing is preempted for it"));
  }
  const auto refuse = [&](const std::string& why) {
    return Fail(
        Conflict(NameOf(*victim) + " (" + Name(victim->state) + ") may not be preempted: " + why));
  };
  if (!IsEvictable(*victim)) return refuse("it must be preemptible, run, and not be stopping");
  GP_CHECK_OK(CheckPreemptor(state, at, *by, command.nodes));
  const Preemptions preemptions(state, at);
  const Job nominated = AsNominated(*by, command.nodes.size());
  const Contender preemptor = ContenderOf(nominated, at);
  const Contender preempted = ContenderOf(*victim, at);
  const PreemptionGround ground = preemptions.GroundFor(preemptor, preempted);
  if (ground == PreemptionGround::kNone)
    return refuse(NameOf(*by) + " has no ground to preempt it");
  if (!preemptions.HoldsNow(preemptor, preempted, ground))
    return refuse("it has not run for min_run");
  return Events{JobPreemptionOrdered{command.pass, victim->id, by->id, command.nodes}};
}

}  // namespace gp
