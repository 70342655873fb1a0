#include <algorithm>
#include <set>
#include <vector>

#include "domain/cluster/decide/decide_parts.h"
#include "domain/cluster/dependencies.h"
#include "domain/cluster/quotas/wait_targets.h"
#include "domain/cluster/reservations.h"
#include "domain/cluster/retention.h"

namespace gp {
namespace {

// One node per tick: a gang may have leases on several nodes, and each end must see the previous
// one.
void EndLostLeases(const State& state, Instant at, const Node& node, Events& events) {
  for (const LeaseId id : node.leases) {
    const Lease& lease = *state.FindLease(id);
    // Leases that continue through an outage stay until the node answers or is declared lost.
    if (!lease.stop_on_loss) continue;
    EndLease(state, at, lease, {LeaseEnd::kLeaseLost, 0, 0, "its node stopped answering"}, events);
  }
  events.push_back(NodeLeasesExpired{node.id});
}

Status CheckWeights(const WeightsByPool& placement) {
  if (placement.size() > kPoolsWeighedMax)
    return Fail(InvalidArgument("policy: placement: at most " + std::to_string(kPoolsWeighedMax) +
                                " pools, not " + std::to_string(placement.size())));
  for (const auto& [pool, weights] : placement) {
    for (const int weight : {weights.numa, weights.nvlink, weights.fragmentation, weights.best_fit,
                             weights.spread, weights.model_fit}) {
      if (weight >= 0 && weight <= kPlacementWeightMax) continue;
      return Fail(InvalidArgument("policy: placement." + pool + ": weights must be between 0 and " +
                                  std::to_string(kPlacementWeightMax) + ", not " +
                                  std::to_string(weight)));
    }
  }
  return Ok();
}

Status CheckUnderUse(const UnderUsePolicy& policy) {
  const auto bad = [](Duration span) { return span.ns < 0 || span > kTimeLimitMax; };
  for (const UnderUseRule* rule :
       {&policy.high, &policy.medium, &policy.low, &policy.interactive}) {
    if (rule->below_percent < 0 || rule->below_percent > 100 || bad(rule->warn_after) ||
        bad(rule->stop_after)) {
      return Fail(InvalidArgument(
          "policy: under_use: below must be between 0 and 100, times between 0 and " +
          ToText(kTimeLimitMax)));
    }
  }
  return Ok();
}

// Whether the policy is valid.
Status CheckPolicy(const Policy& policy) {
  if (policy.lease_time.ns <= 0 || policy.lease_end_time.ns <= 0) {
    return Fail(InvalidArgument("policy: lease_time and lease_end_time must be above zero"));
  }
  if (policy.min_run.ns < 0 || policy.min_run > kTimeLimitMax) {
    return Fail(InvalidArgument("policy: min_run must be between 0 and " + ToText(kTimeLimitMax)));
  }
  if (policy.share_half_life.ns < 1'000'000 || policy.usage_period.ns < 1'000'000 ||
      policy.share_horizon.ns < 0 || policy.age_after.ns < 0 || policy.reclaim_grace.ns < 0) {
    return Fail(
        InvalidArgument("policy: times of shares must not be below zero, nor share_half_life and "
                        "usage_period below 1 ms"));
  }
  if (policy.class_floor < 0 || policy.class_floor > 100)
    return Fail(InvalidArgument("policy: class_floor must be between 0 and 100"));
  if (policy.move_cost.ns < 0 || policy.move_interval.ns < 0 || policy.moves_per_hour < 0) {
    return Fail(InvalidArgument(
        "policy: move_cost, move_interval and moves_per_hour must not be below zero"));
  }
  if (policy.jobs_kept_for.ns < 0 || policy.jobs_kept_for > kTimeLimitMax)
    return Fail(
        InvalidArgument("policy: jobs_kept_for must be between 0 and " + ToText(kTimeLimitMax)));
  GP_CHECK_OK(CheckUnderUse(policy.under_use));
  return CheckWeights(policy.placement);
}

// Stops jobs that are still on the nodes, so that they are gone when the maintenance begins.
void EndForMaintenance(const State& state, Instant at, Events& events) {
  std::set<JobId> stopped;
  for (const auto& [due, id] : state.jobs.maintenance_stops) {
    if (due > at) break;
    const Job& job = *state.FindJob(id);
    if (!stopped.insert(id).second) continue;
    std::vector<const Reservation*> windows = InTheWayOf(state, job);
    // The maintenance ended without a tick in between
    std::erase_if(windows, [&](const Reservation* one) { return one->ends_at <= at; });
    if (windows.empty()) continue;
    const Reservation* maintenance = std::ranges::min(windows, {}, &Reservation::starts_at);
    events.push_back(JobStopOrdered{id, StopCause::kDrain, StopOrder::kGraceful,
                                    "maintenance " + maintenance->name + " begins at " +
                                        ToRfc3339(WallOf(state.time, maintenance->starts_at))});
  }
}

void ForgetOld(const State& state, Instant at, Events& events) {
  if (state.policy.jobs_kept_for.ns == 0) return;
  for (const JobId id : FindForgettable(state, kForgottenAtATime, at - state.policy.jobs_kept_for))
    events.push_back(JobForgotten{id});
}

}  // namespace

Result<Events> DecideCommand(const State& state, const Envelope&, const SetPolicy& command) {
  GP_CHECK_OK(CheckPolicy(command.policy));
  if (command.policy.lease_time != state.policy.lease_time ||
      command.policy.lease_end_time != state.policy.lease_end_time) {
    return Fail(
        InvalidArgument("policy: times of leases stay as they were when the controller began: "
                        "start it again with others"));
  }
  return Events{PolicyChanged{command.policy}};
}
AuditWords WordsFor(const State&, const Events&, const SetPolicy& command) {
  return {"ReloadConfig", "policy", command.changes};
}

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const StartController& command) {
  const Instant at = envelope.at;
  const Policy& policy = command.policy;
  GP_CHECK_OK(CheckPolicy(policy));
  ControllerStarted started{policy, state.lineage, state.quiet_until};
  if (command.lineage != 0) started.lineage = command.lineage;
  started.time = command.time;
  started.format = command.format;
  // By the longer of the two policies: supervisors still use the previous one.  If it was longer, a
  // node that is cut off may hold leases for as long as it says.
  const auto longest = [](const Policy& p) { return p.lease_time + p.lease_end_time; };
  const bool is_shorter = state.lineage != 0 && longest(policy) < longest(state.policy);
  if (command.cut || is_shorter)
    started.quiet_until =
        std::max(state.quiet_until, at + std::max(longest(policy), longest(state.policy)));
  return Events{started};
}

Result<Events> DecideCommand(const State& state, const Envelope&, const RaiseFormat& command) {
  if (command.format <= state.format)
    return Fail(Conflict("records are written in format " + std::to_string(state.format) +
                         " already: a format is never lowered"));
  return Events{FormatRaised{command.format}};
}
AuditWords WordsFor(const State&, const Events&, const RaiseFormat& command) {
  return {"RaiseFormat", "journal", "to format " + std::to_string(command.format)};
}

Result<Events> DecideCommand(const State& state, const Envelope&, const StepWallClock& command) {
  if (command.wall == state.time.wall) return Events{};
  return Events{WallClockStepped{command.wall}};
}

Result<Events> DecideCommand(const State& state, const Envelope& envelope, const Tick&) {
  const Instant at = envelope.at;
  Events events;
  for (const auto& [due, job] : state.jobs.retries) {
    if (due > at) break;
    events.push_back(JobRetried{job});
  }
  for (const JobId id : state.jobs.decided) {
    const JobSpec& spec = *state.FindJob(id)->spec;
    if (ProspectOf(state, spec) == Prospect::kMet) {
      events.push_back(JobUnblocked{id});
    } else {
      events.push_back(
          JobEnded{id, JobState::kCancelled, 130, TellImpossible(state, spec), EndClass::kNone});
    }
  }
  for (const auto& [due, name] : state.reservations.ends) {
    if (due > at) break;
    events.push_back(ReservationEnded{name});
  }
  for (const auto& [due, token] : state.access.token_ends) {
    if (due > WallOf(state.time, at)) break;
    events.push_back(TokenEnded{token});
  }
  std::ranges::move(JudgeWaitTargets(state, at), std::back_inserter(events));
  ForgetOld(state, at, events);
  BeginRemedies(state, at, events);
  EndIncidents(state, at, events);
  for (const auto& [due, id] : state.jobs.limit_notices) {
    if (due > at) break;
    if (LimitReachedAt(*state.FindJob(id)) > at) events.push_back(JobLimitNear{id});
  }
  bool limits_due = false;
  for (const auto& [due, id] : state.jobs.limits) {
    if (due > at) break;
    limits_due = true;
    const Job& job = *state.FindJob(id);
    events.push_back(
        JobStopOrdered{id, StopCause::kTimeLimit, StopOrder::kGraceful,
                       "ran for its time limit of " + ToText(job.spec->policy.time_limit)});
  }
  // One kind of stop per tick, and losses in the next one: the outcome of a job depends on its
  // earlier stop orders.
  const size_t before = events.size();
  if (!limits_due) EndForMaintenance(state, at, events);
  if (!limits_due && events.size() == before) EndDrains(state, at, events);
  if (!limits_due && events.size() == before && !state.nodes.losses.empty() &&
      state.nodes.losses.begin()->first <= at) {
    EndLostLeases(state, at, *state.FindNode(state.nodes.losses.begin()->second), events);
  }
  return events;
}

}  // namespace gp
