#include "application/replication/replica_gateway.h"

#include <variant>

#include "domain/scheduling/plan.h"

namespace gp {
namespace {

Error DecidesNothing() {
  return Unavailable("this controller is a standby, which only answers reads: ask the leader");
}

}  // namespace

Outcome ReplicaGateway::Execute(Origin, ClientRequest, Command) {
  return {Fail(DecidesNothing()), {}, {}};
}

std::vector<Outcome> ReplicaGateway::ExecuteAll(
    Origin, std::vector<std::pair<ClientRequest, Command>> commands, const Precondition&) {
  return std::vector<Outcome>(commands.size(), Outcome{Fail(DecidesNothing()), {}, {}});
}

Status ReplicaGateway::Post(Origin, Command command, WhenDone) {
  if (std::holds_alternative<NoteRefusal>(command)) return Ok();
  return Fail(DecidesNothing());
}

const Plan& ReplicaGateway::NewestPlan() const {
  static const Plan unknown{.is_unknown = true};
  return unknown;
}

Status ReplicaGateway::Join(uint64_t, JoinNode, WhenJoined) { return Fail(DecidesNothing()); }

Status ReplicaGateway::OpenChannel(NodeId, uint64_t) { return Fail(DecidesNothing()); }

}  // namespace gp
