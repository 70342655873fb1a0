// Fragmentation, and moves that mend it.

#include <algorithm>

#include "adapters/inbound/grpc/control_service.h"
#include "adapters/inbound/grpc/status.h"
#include "adapters/wire/moves_view.h"
#include "domain/cluster/arrays.h"

namespace gp {
namespace {

struct Planned {
  std::vector<MovePlan> plans;
  Status status = Ok();
};

// Those that were asked for; without names all of them.
Planned PlanFor(const State& state, Instant now, const v1::PlanMovesRequest& request) {
  Planned planned;
  std::set<JobId> wanted;
  for (const std::string& text : request.job_ids()) {
    const auto id = FindJobNamed(state, text);
    if (!id) return {{}, Fail(id.error())};
    const Job* job = state.FindJob(*id);
    if (job->state != JobState::kQueued) return {{}, Fail(Conflict(text + " is " + Name(job->state) + ": moves are for jobs that wait in a queue"))};
    wanted.insert(*id);
  }
  planned.plans = PlanMoves(state, now);
  if (!wanted.empty()) std::erase_if(planned.plans, [&](const MovePlan& plan) { return !wanted.contains(plan.moves.by); });
  return planned;
}

}  // namespace

Status ControlService::FillMoves(const v1::PlanMovesRequest& request, std::vector<MovePlan>* plans, v1::MovePlans* reply) {
  Status planned = Ok();
  const Status read = gateway_.Read([&](const State& state) {
    Planned found = PlanFor(state, gateway_.Now(), request);
    planned = found.status;
    if (!planned) return;
    MovesView(state, gateway_.Now(), found.plans, reply);
    *plans = std::move(found.plans);
  });
  return read ? planned : read;
}

grpc::Status ControlService::PlanMoves(grpc::ServerContext* context, const v1::PlanMovesRequest* request, v1::MovePlans* reply) {
  const Result<User> caller = Caller(*context);
  if (!caller) return ToGrpc(caller.error());
  std::vector<MovePlan> plans;
  return ToGrpc(FillMoves(*request, &plans, reply));
}

grpc::Status ControlService::ApplyMoves(grpc::ServerContext* context, const v1::PlanMovesRequest* request, v1::MovePlans* reply) {
  const Result<User> caller = Administrator(*context);
  if (!caller) return ToGrpc(caller.error());
  std::vector<MovePlan> plans;
  if (const Status filled = FillMoves(*request, &plans, reply); !filled) return ToGrpc(filled);
  for (const MovePlan& plan : plans) {
    const Outcome outcome = gateway_.Execute(Principal(*caller), "", plan.moves);
    if (!outcome.status) return ToGrpc(outcome.status);
  }
  return grpc::Status::OK;
}

}  // namespace gp
