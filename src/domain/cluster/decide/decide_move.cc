#include <algorithm>
#include <bit>
#include <set>

#include "domain/cluster/arrays.h"
#include "domain/cluster/decide/decide_parts.h"
#include "domain/cluster/moves.h"
#include "domain/cluster/preemption.h"
#include "domain/cluster/quotas/quota.h"

namespace gp {
namespace {

Status CheckMove(const State& state, Instant at, const MoveJobs::Move& move) {
  const Job* job = state.FindJob(move.job);
  if (job == nullptr) return Fail(NotFound("no job " + ToText(move.job)));
  const auto refuse = [&](const std::string& why) {
    return Fail(Conflict(NameOf(*job) + " (" + Name(job->state) + ") may not be moved: " + why));
  };
  if (!IsMovable(*job)) return refuse("it must be movable, run, and not be stopping");
  if (const std::string why = WhyNotMoved(state, *job, at); !why.empty()) return refuse(why);
  std::vector<NodeId> nodes;
  for (const RankTarget& target : move.destination) {
    nodes.push_back(target.node);
    if (std::popcount(target.gpus) != job->spec->resources.gpus.count)
      return refuse("its destination must have " + std::to_string(job->spec->resources.gpus.count) +
                    " GPUs of each node");
  }
  return CheckGangNodes(state, *job, nodes);
}

Status CheckNominations(const State& state, const MoveJobs& command) {
  if (AwaitsVictims(state, command.by))
    return Fail(Conflict(ToText(command.by) + ": jobs are already being moved for it"));
  const std::map<NodeId, JobId> nominated = NominatedToOthers(state, command.by);
  for (const NodeId node : command.nodes) {
    const auto other = nominated.find(node);
    if (other != nominated.end())
      return Fail(
          Conflict("a node is being cleared for " + NameOf(state, other->second) + " already"));
  }
  return Ok();
}

}  // namespace

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const MoveJobs& command) {
  const Instant at = envelope.at;
  const Job* by = state.FindJob(command.by);
  if (by == nullptr) return Fail(NotFound("no job " + ToText(command.by)));
  if (by->state != JobState::kQueued)
    return Fail(Conflict(NameOf(*by) + " is " + Name(by->state) + ": nothing is moved for it"));
  GP_CHECK_OK(CheckPreemptor(state, at, *by, command.nodes));
  GP_CHECK_OK(CheckNominations(state, command));
  if (command.moves.empty()) return Fail(InvalidArgument("moves: name at least one job to move"));
  if (static_cast<int64_t>(command.moves.size()) > MovesLeft(state, at)) {
    return Fail(Conflict("moves: " + std::to_string(command.moves.size()) + " asked, " +
                         std::to_string(MovesLeft(state, at)) +
                         " left in this hour (moves_per_hour)"));
  }
  Events events;
  std::set<JobId> distinct;
  for (const MoveJobs::Move& move : command.moves) {
    GP_CHECK_OK(CheckMove(state, at, move));
    if (!distinct.insert(move.job).second)
      return Fail(InvalidArgument("moves: " + NameOf(state, move.job) + " is named twice"));
    events.push_back(JobMoveOrdered{move.job, command.by, command.nodes, move.destination});
  }
  return events;
}
AuditWords WordsFor(const State& state, const Events&, const MoveJobs& command) {
  std::string details = "moves";
  for (const MoveJobs::Move& move : command.moves) details += " " + NameOf(state, move.job);
  return {"ApplyMoves", NameOf(state, command.by), details};
}

}  // namespace gp
