#pragma once

// One overload per event; apply_node.cc, apply_lease.cc and apply_job.cc hold them by subject.

#include "base/time.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

void ApplyEvent(State& state, Instant at, const ControllerStarted& event);
void ApplyEvent(State& state, Instant at, const WallClockStepped& event);
void ApplyEvent(State& state, Instant at, const NodeJoined& event);
void ApplyEvent(State& state, Instant at, const GpuMoved& event);
void ApplyEvent(State& state, Instant at, const GpuRetired& event);
void ApplyEvent(State& state, Instant at, const NodeLost& event);
void ApplyEvent(State& state, Instant at, const NodeLeasesExpired& event);
void ApplyEvent(State& state, Instant at, const NodeReturned& event);
void ApplyEvent(State& state, Instant at, const NodeDrainChanged& event);
void ApplyEvent(State& state, Instant at, const GpuConditionChanged& event);
void ApplyEvent(State& state, Instant at, const GpuDrainChanged& event);

void ApplyEvent(State& state, Instant at, const GangPlaced& event);
void ApplyEvent(State& state, Instant at, const LeaseStarted& event);
void ApplyEvent(State& state, Instant at, const LeaseEnded& event);

void ApplyEvent(State& state, Instant at, const JobSubmitted& event);
void ApplyEvent(State& state, Instant at, const JobUnblocked& event);
void ApplyEvent(State& state, Instant at, const JobHeld& event);
void ApplyEvent(State& state, Instant at, const JobReleased& event);
void ApplyEvent(State& state, Instant at, const JobStarted& event);
void ApplyEvent(State& state, Instant at, const JobStopOrdered& event);
void ApplyEvent(State& state, Instant at, const JobRequeued& event);
void ApplyEvent(State& state, Instant at, const JobRetried& event);
void ApplyEvent(State& state, Instant at, const JobEnded& event);
void ApplyEvent(State& state, Instant at, const JobForgotten& event);
void ApplyEvent(State& state, Instant at, const JobPreemptionOrdered& event);
void ApplyEvent(State& state, Instant at, const JobMoveOrdered& event);

void ApplyEvent(State& state, Instant at, const QueueChanged& event);
void ApplyEvent(State& state, Instant at, const QueueDeleted& event);
void ApplyEvent(State& state, Instant at, const NodePoolChanged& event);
void ApplyEvent(State& state, Instant at, const NodeLabelsChanged& event);
void ApplyEvent(State& state, Instant at, const JobPriorityChanged& event);

void ApplyEvent(State& state, Instant at, const FaultSeen& event);
void ApplyEvent(State& state, Instant at, const GpuHealthChanged& event);
void ApplyEvent(State& state, Instant at, const JobXidNoted& event);
void ApplyEvent(State& state, Instant at, const IncidentOpened& event);
void ApplyEvent(State& state, Instant at, const IncidentNoted& event);
void ApplyEvent(State& state, Instant at, const IncidentChanged& event);
void ApplyEvent(State& state, Instant at, const GpuRemedyChanged& event);
void ApplyEvent(State& state, Instant at, const GpuTaskOrdered& event);
void ApplyEvent(State& state, Instant at, const GpuTaskEnded& event);
void NoteFailure(const State& state, Node& node, Instant at);
void ApplyEvent(State& state, Instant at, const BreakerOpened& event);
void ApplyEvent(State& state, Instant at, const CheckpointSaved& event);
void ApplyEvent(State& state, Instant at, const DrainDeadlineSet& event);
// Forgets the troubles of the node's GPUs: the node has other GPUs now.
void DropTroubles(State& state, NodeId node);
void DropTrouble(State& state, const GpuKey& gpu);
// Moves a GPU's trouble and incidents to its new position.
void MoveTrouble(State& state, const GpuKey& from, const GpuKey& to);

void ApplyEvent(State& state, Instant at, const NodesReserved& event);
void ApplyEvent(State& state, Instant at, const ReservationEnded& event);

void ApplyEvent(State& state, Instant at, const RoleGranted& event);
void ApplyEvent(State& state, Instant at, const TokenIssued& event);
void ApplyEvent(State& state, Instant at, const TokenEnded& event);
void ApplyEvent(State& state, Instant at, const NodeCertified& event);
void ApplyEvent(State& state, Instant at, const NodeRevoked& event);
void ApplyEvent(State& state, Instant at, const AccessRefused& event);
void ApplyEvent(State& state, Instant at, const BudgetChanged& event);
void ApplyEvent(State& state, Instant at, const BudgetDeleted& event);
void ApplyEvent(State& state, Instant at, const BudgetLevelChanged& event);
void IndexToken(State& state, const AccessToken& token);

// Shifts reservations so that they keep their calendar times after the wall clock was stepped.
void FollowWallClock(State& state, Duration wall);
// Enters a reservation into the indexes.
void IndexReservation(State& state, const Reservation& reservation);

void ApplyEvent(State& state, Instant at, const PolicyChanged& event);
void ApplyEvent(State& state, Instant at, const JobTimeLimitChanged& event);
void ApplyEvent(State& state, Instant at, const JobLimitNear& event);
void ApplyEvent(State& state, Instant at, const LeaseUseNoted& event);
void ApplyEvent(State& state, Instant at, const JobIdle& event);
void ApplyEvent(State& state, Instant at, const ChangeNoted& event);

// These return references for changes; NodeOf also marks the node as changed.
inline Node& NodeOf(State& state, NodeId id) { return state.nodes.Change(id); }
Gpu& GpuOf(State& state, NodeId node, int gpu);
Job& JobOf(State& state, JobId id);
Lease& LeaseOf(State& state, LeaseId id);

// Moves a job along an edge of its state machine, asserted, and keeps the indexes by state.
void MoveJob(State& state, Job& job, JobState to);

}  // namespace gp
