#pragma once

// What an event does to the state, in the apply_*.cc of its subject, and the steps that several of
// them share.

#include "base/time.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

// One overload for each event; the linker names one that is missing.
#define GP_APPLY(Name, ...) void ApplyEvent(State& state, Instant at, const Name& event);
GP_EVENTS(GP_APPLY)
#undef GP_APPLY

// These return references for changes; NodeOf also marks the node as changed.
inline Node& NodeOf(State& state, NodeId id) { return state.nodes.Change(id); }
Gpu& GpuOf(State& state, NodeId node, int gpu);
Job& JobOf(State& state, JobId id);
Lease& LeaseOf(State& state, LeaseId id);

// Moves a job along an edge of its state machine, asserted, and keeps the indexes by state.
void MoveJob(State& state, Job& job, JobState to);

void NoteFailure(const State& state, Node& node, Instant at);
// Forgets the troubles of the node's GPUs: the node has other GPUs now.
void DropTroubles(State& state, NodeId node);
void DropTrouble(State& state, const GpuKey& gpu);
// Moves a GPU's trouble and incidents to its new position.
void MoveTrouble(State& state, const GpuKey& from, const GpuKey& to);

void IndexToken(State& state, const AccessToken& token);

// Shifts reservations so that they keep their calendar times after the wall clock was stepped.
void FollowWallClock(State& state, Duration wall);
// Enters a reservation into the indexes.
void IndexReservation(State& state, const Reservation& reservation);

}  // namespace gp
