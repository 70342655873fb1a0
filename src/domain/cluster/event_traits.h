#pragma once

// What the system does when an event is committed: one row per event.  An event without a row does
// not compile, and neither does one whose trait promises what its reader does not do.

#include <variant>

#include "domain/cluster/event.h"

namespace gp {

enum EventTrait : unsigned {
  kNoTrait = 0,
  // A pending job may start or preempt because of it, so the next batch begins with planning.
  kWakesPlanner = 1,
  // The desired state of a node differs: the node is sent the new one (domain/node).
  kChangesDesiredState = 2,
  // Grants, tokens or node certificates differ: the doors read them again (adapters/inbound/api).
  kChangesAccess = 4,
  // It is a line of the event log, from which notifications and traces are made (adapters/wire).
  kLogged = 8,
};

// The row of an event, as a set of traits.
template <typename E>
inline constexpr unsigned kTraitsOf = [] {
  static_assert(sizeof(E) == 0, "this event has no row in event_traits.h");
  return kNoTrait;
}();

#define GP_EVENT(Name, traits) \
  template <>                  \
  inline constexpr unsigned kTraitsOf<Name> = (traits)

// Jobs
GP_EVENT(JobSubmitted, kWakesPlanner | kLogged);
GP_EVENT(JobHeld, kWakesPlanner);
GP_EVENT(JobReleased, kWakesPlanner);
GP_EVENT(JobUnblocked, kWakesPlanner);
GP_EVENT(JobPriorityChanged, kWakesPlanner);
GP_EVENT(JobTimeLimitChanged, kWakesPlanner);
GP_EVENT(GangPlaced, kChangesDesiredState | kLogged);
GP_EVENT(JobStarted, kWakesPlanner | kLogged);
GP_EVENT(JobStopOrdered, kChangesDesiredState | kLogged);
GP_EVENT(JobPreemptionOrdered, kChangesDesiredState | kLogged);
GP_EVENT(JobMoveOrdered, kChangesDesiredState | kLogged);
GP_EVENT(JobRequeued, kWakesPlanner | kLogged);
GP_EVENT(JobRetried, kWakesPlanner);
GP_EVENT(JobEnded, kWakesPlanner | kLogged);
GP_EVENT(JobForgotten, kNoTrait);
GP_EVENT(JobLimitNear, kLogged);
GP_EVENT(JobIdle, kLogged);
GP_EVENT(JobXidNoted, kLogged);
GP_EVENT(CheckpointSaved, kChangesDesiredState | kLogged);
GP_EVENT(LeaseStarted, kNoTrait);
GP_EVENT(LeaseEnded, kWakesPlanner | kChangesDesiredState);
GP_EVENT(LeaseUseNoted, kNoTrait);

// Nodes and GPUs
GP_EVENT(NodeJoined, kWakesPlanner | kChangesDesiredState | kLogged);
GP_EVENT(NodeLost, kLogged);
GP_EVENT(NodeLeasesExpired, kNoTrait);
GP_EVENT(NodeReturned, kWakesPlanner | kChangesDesiredState | kLogged);
GP_EVENT(NodeDrainChanged, kWakesPlanner | kLogged);
GP_EVENT(NodePoolChanged, kWakesPlanner);
GP_EVENT(NodeLabelsChanged, kWakesPlanner);
GP_EVENT(DrainDeadlineSet, kNoTrait);
GP_EVENT(GpuMoved, kWakesPlanner | kChangesDesiredState | kLogged);
GP_EVENT(GpuRetired, kWakesPlanner | kLogged);
GP_EVENT(GpuDrainChanged, kWakesPlanner | kLogged);
GP_EVENT(GpuConditionChanged, kWakesPlanner | kLogged);
GP_EVENT(GpuHealthChanged, kNoTrait);

// Faults and repairs
GP_EVENT(FaultSeen, kLogged);
GP_EVENT(IncidentOpened, kLogged);
GP_EVENT(IncidentNoted, kLogged);
GP_EVENT(IncidentChanged, kLogged);
GP_EVENT(GpuRemedyChanged, kNoTrait);
GP_EVENT(GpuTaskOrdered, kChangesDesiredState | kLogged);
GP_EVENT(GpuTaskEnded, kChangesDesiredState);
GP_EVENT(BreakerOpened, kLogged);

// Queues, budgets, reservations, policy
GP_EVENT(QueueChanged, kWakesPlanner);
GP_EVENT(QueueDeleted, kWakesPlanner);
GP_EVENT(BudgetChanged, kNoTrait);
GP_EVENT(BudgetDeleted, kNoTrait);
GP_EVENT(BudgetLevelChanged, kWakesPlanner | kLogged);
GP_EVENT(NodesReserved, kWakesPlanner);
GP_EVENT(ReservationEnded, kWakesPlanner);
GP_EVENT(PolicyChanged, kWakesPlanner);

// Access and audit
GP_EVENT(RoleGranted, kChangesAccess);
GP_EVENT(TokenIssued, kChangesAccess);
GP_EVENT(TokenEnded, kChangesAccess);
GP_EVENT(NodeCertified, kChangesAccess);
GP_EVENT(NodeRevoked, kChangesAccess);
GP_EVENT(AccessRefused, kNoTrait);
GP_EVENT(ChangeNoted, kNoTrait);

// The controller
GP_EVENT(ControllerStarted, kNoTrait);
GP_EVENT(WallClockStepped, kWakesPlanner | kLogged);

#undef GP_EVENT

inline bool Has(const Event& event, EventTrait trait) {
  return std::visit([trait]<typename E>(const E&) { return (kTraitsOf<E> & trait) != 0; }, event);
}

}  // namespace gp
