// Fragmentation, and moves that reduce it.

#include <chrono>
#include <mutex>
#include <optional>
#include <set>

#include "adapters/inbound/api/control_api.h"
#include "adapters/wire/views/moves_view.h"
#include "domain/cluster/arrays.h"
#include "domain/explaining/present.h"

namespace gp {
namespace {

Result<std::set<JobId>> Wanted(const State& state, const v1::PlanMovesRequest& request) {
  std::set<JobId> wanted;
  for (const std::string& text : request.job_ids()) {
    const JobId id = GP_TRY(FindJobNamed(state, text));
    const Job& job = *state.FindJob(id);
    if (job.state != JobState::kQueued)
      return Fail(Conflict(NameOf(job) + " is " + Name(job.state) +
                           ": moves are for jobs that wait in a queue"));
    wanted.insert(id);
  }
  return wanted;
}

}  // namespace

// The writer only copies the state, if that is quick; one search for moves at a time.
Result<std::vector<MovePlan>> ControlApi::FillMoves(const v1::PlanMovesRequest& request,
                                                    v1::MovePlans* reply) {
  const std::unique_lock turn(forecasting_, kTurnTime);
  if (!turn.owns_lock()) return Fail(Unavailable("other forecasts are running: try again"));
  std::vector<MovePlan> plans;
  std::optional<Present> present;
  Result<std::set<JobId>> wanted = Fail(Unavailable("the controller ends"));
  Instant at;
  const auto look = [&](const State& state) {
    plans = gp::PlanMoves(state, at, *wanted);
    MovesView(state, at, plans, reply);
  };
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    at = gateway_.Now();
    wanted = Wanted(state, request);
    if (!wanted) return;
    if (PartsOf(state) <= kPartsMax) {
      present = TakePresent(state);
    } else {
      look(state);
    }
  }));
  if (!wanted) return Fail(wanted.error());
  if (present) look(present->state);
  return plans;
}

Status ControlApi::PlanMoves(const Caller&, const v1::PlanMovesRequest& request,
                             v1::MovePlans* reply) {
  const auto plans = FillMoves(request, reply);
  return plans ? Ok() : Fail(plans.error());
}

Status ControlApi::ApplyMoves(const Caller& caller, const v1::PlanMovesRequest& request,
                              v1::MovePlans* reply) {
  if (GP_TRY(IsRepeated(caller)))
    return Fail(Conflict("request id: these moves were ordered (gpu-platform jobs list)"));
  const auto plans = FillMoves(request, reply);
  if (!plans) return Fail(plans.error());
  // Moves that have begun are reported, even if a later plan is no longer possible.
  for (size_t i = 0; i < plans->size(); ++i) {
    // With the first one the request is answered: a repeat would find other plans
    const Outcome outcome = gateway_.Execute(
        caller.AsOrigin(), i == 0 ? caller.request : ClientRequest(), (*plans)[i].moves);
    if (outcome.status) continue;
    if (i == 0) return outcome.status;
    reply->mutable_plans()->DeleteSubrange(static_cast<int>(i),
                                           static_cast<int>(plans->size() - i));
    break;
  }
  return Ok();
}

}  // namespace gp
