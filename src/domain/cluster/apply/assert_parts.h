#pragma once

// The rules of each event, as transition_rules.h has them: an overload for what holds before it,
// and one for what holds after it, in the assert_*.cc of its subject.

#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

// What an event names.  That it is known is a rule itself.
const Job& JobIn(const State& state, JobId id);
const Node& NodeIn(const State& state, NodeId id);
const Gpu& GpuIn(const State& state, NodeId node, int gpu);
// The rule that the job is in this state.
void CheckJobState(const State& state, JobId job, JobState expected);

// assert_node.cc
void CheckBefore(const State& state, const ControllerStarted& event);
void CheckAfter(const State& state, const ControllerStarted& event);
void CheckBefore(const State& state, const PolicyChanged& event);
void CheckAfter(const State& state, const PolicyChanged& event);
void CheckBefore(const State& state, const WallClockStepped& event);
void CheckAfter(const State& state, const WallClockStepped& event);
void CheckBefore(const State& state, const NodeJoined& event);
void CheckAfter(const State& state, const NodeJoined& event);
void CheckBefore(const State& state, const NodeLost& event);
void CheckAfter(const State& state, const NodeLost& event);
void CheckBefore(const State& state, const NodeLeasesExpired& event);
void CheckAfter(const State& state, const NodeLeasesExpired& event);
void CheckBefore(const State& state, const NodeReturned& event);
void CheckAfter(const State& state, const NodeReturned& event);
void CheckBefore(const State& state, const NodeDrainChanged& event);
void CheckAfter(const State& state, const NodeDrainChanged& event);
void CheckBefore(const State& state, const NodeLabelsChanged& event);
void CheckAfter(const State& state, const NodeLabelsChanged& event);
void CheckBefore(const State& state, const NodePoolChanged& event);
void CheckAfter(const State& state, const NodePoolChanged& event);
void CheckBefore(const State& state, const DrainDeadlineSet& event);
void CheckAfter(const State& state, const DrainDeadlineSet& event);
void CheckBefore(const State& state, const GpuConditionChanged& event);
void CheckAfter(const State& state, const GpuConditionChanged& event);
void CheckBefore(const State& state, const GpuDrainChanged& event);
void CheckAfter(const State& state, const GpuDrainChanged& event);
void CheckBefore(const State& state, const GpuMoved& event);
void CheckAfter(const State& state, const GpuMoved& event);
void CheckBefore(const State& state, const GpuRetired& event);
void CheckAfter(const State& state, const GpuRetired& event);

// assert_fault.cc
void CheckBefore(const State& state, const GpuHealthChanged& event);
void CheckAfter(const State& state, const GpuHealthChanged& event);
void CheckBefore(const State& state, const FaultSeen& event);
void CheckAfter(const State& state, const FaultSeen& event);
void CheckBefore(const State& state, const JobXidNoted& event);
void CheckAfter(const State& state, const JobXidNoted& event);
void CheckBefore(const State& state, const IncidentOpened& event);
void CheckAfter(const State& state, const IncidentOpened& event);
void CheckBefore(const State& state, const IncidentNoted& event);
void CheckAfter(const State& state, const IncidentNoted& event);
void CheckBefore(const State& state, const IncidentChanged& event);
void CheckAfter(const State& state, const IncidentChanged& event);
void CheckBefore(const State& state, const GpuRemedyChanged& event);
void CheckAfter(const State& state, const GpuRemedyChanged& event);
void CheckBefore(const State& state, const GpuTaskOrdered& event);
void CheckAfter(const State& state, const GpuTaskOrdered& event);
void CheckBefore(const State& state, const GpuTaskEnded& event);
void CheckAfter(const State& state, const GpuTaskEnded& event);
void CheckBefore(const State& state, const BreakerOpened& event);
void CheckAfter(const State& state, const BreakerOpened& event);

// assert_job.cc
void CheckBefore(const State& state, const JobSubmitted& event);
void CheckAfter(const State& state, const JobSubmitted& event);
void CheckBefore(const State& state, const JobUnblocked& event);
void CheckAfter(const State& state, const JobUnblocked& event);
void CheckBefore(const State& state, const JobHeld& event);
void CheckAfter(const State& state, const JobHeld& event);
void CheckBefore(const State& state, const JobReleased& event);
void CheckAfter(const State& state, const JobReleased& event);
void CheckBefore(const State& state, const JobRetried& event);
void CheckAfter(const State& state, const JobRetried& event);
void CheckBefore(const State& state, const JobStarted& event);
void CheckAfter(const State& state, const JobStarted& event);
void CheckBefore(const State& state, const JobStopOrdered& event);
void CheckAfter(const State& state, const JobStopOrdered& event);
void CheckBefore(const State& state, const JobPreemptionOrdered& event);
void CheckAfter(const State& state, const JobPreemptionOrdered& event);
void CheckBefore(const State& state, const JobMoveOrdered& event);
void CheckAfter(const State& state, const JobMoveOrdered& event);
void CheckBefore(const State& state, const JobRequeued& event);
void CheckAfter(const State& state, const JobRequeued& event);
void CheckBefore(const State& state, const JobEnded& event);
void CheckAfter(const State& state, const JobEnded& event);
void CheckBefore(const State& state, const JobForgotten& event);
void CheckAfter(const State& state, const JobForgotten& event);
void CheckBefore(const State& state, const CheckpointSaved& event);
void CheckAfter(const State& state, const CheckpointSaved& event);
void CheckBefore(const State& state, const JobPriorityChanged& event);
void CheckAfter(const State& state, const JobPriorityChanged& event);
void CheckBefore(const State& state, const JobTimeLimitChanged& event);
void CheckAfter(const State& state, const JobTimeLimitChanged& event);
void CheckBefore(const State& state, const JobLimitNear& event);
void CheckAfter(const State& state, const JobLimitNear& event);
void CheckBefore(const State& state, const JobIdle& event);
void CheckAfter(const State& state, const JobIdle& event);

// assert_lease.cc
void CheckBefore(const State& state, const GangPlaced& event);
void CheckAfter(const State& state, const GangPlaced& event);
void CheckBefore(const State& state, const LeaseStarted& event);
void CheckAfter(const State& state, const LeaseStarted& event);
void CheckBefore(const State& state, const LeaseEnded& event);
void CheckAfter(const State& state, const LeaseEnded& event);
void CheckBefore(const State& state, const LeaseUseNoted& event);
void CheckAfter(const State& state, const LeaseUseNoted& event);

// assert_queue.cc
void CheckBefore(const State& state, const QueueChanged& event);
void CheckAfter(const State& state, const QueueChanged& event);
void CheckBefore(const State& state, const QueueDeleted& event);
void CheckAfter(const State& state, const QueueDeleted& event);
void CheckBefore(const State& state, const NodesReserved& event);
void CheckAfter(const State& state, const NodesReserved& event);
void CheckBefore(const State& state, const ReservationEnded& event);
void CheckAfter(const State& state, const ReservationEnded& event);
void CheckBefore(const State& state, const BudgetChanged& event);
void CheckAfter(const State& state, const BudgetChanged& event);
void CheckBefore(const State& state, const BudgetDeleted& event);
void CheckAfter(const State& state, const BudgetDeleted& event);
void CheckBefore(const State& state, const BudgetLevelChanged& event);
void CheckAfter(const State& state, const BudgetLevelChanged& event);

// assert_access.cc
void CheckBefore(const State& state, const RoleGranted& event);
void CheckAfter(const State& state, const RoleGranted& event);
void CheckBefore(const State& state, const TokenIssued& event);
void CheckAfter(const State& state, const TokenIssued& event);
void CheckBefore(const State& state, const TokenEnded& event);
void CheckAfter(const State& state, const TokenEnded& event);
void CheckBefore(const State& state, const NodeCertified& event);
void CheckAfter(const State& state, const NodeCertified& event);
void CheckBefore(const State& state, const NodeRevoked& event);
void CheckAfter(const State& state, const NodeRevoked& event);
void CheckBefore(const State& state, const AccessRefused& event);
void CheckAfter(const State& state, const AccessRefused& event);
void CheckBefore(const State& state, const ChangeNoted& event);
void CheckAfter(const State& state, const ChangeNoted& event);

}  // namespace gp
