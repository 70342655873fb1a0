#pragma once

// The families of decide.cc, and the steps that several of them share.

#include <string>
#include <vector>

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

using Events = std::vector<Event>;

Result<Events> DecideStart(const State& state, Instant at, const StartController& command);
Result<Events> DecideStepWallClock(const State& state, const StepWallClock& command);
Result<Events> DecideTick(const State& state, Instant at);
Result<Events> DecideSetPolicy(const State& state, const SetPolicy& command);

Result<Events> DecideJoin(const State& state, Instant at, const JoinNode& command);
Result<Events> DecideReport(const State& state, Instant at, const ReportNode& command);
Result<Events> DecideHeartbeatTimeout(const State& state, Instant at,
                                      const ExpireHeartbeat& command);
Result<Events> DecideDeclareLost(const State& state, Instant at, const DeclareNodeLost& command);

Result<Events> DecideGpuReport(const State& state, Instant at, const ReportGpus& command);
Result<Events> DecideIncident(const State& state, const Envelope& envelope,
                              const ChangeIncident& command);
// Begins the remedies of GPUs that nobody uses any more.
void BeginRemedies(const State& state, Instant at, Events& events);
// Closes incidents that had no new reports for their window.
void EndIncidents(const State& state, Instant at, Events& events);

Result<Events> DecideService(const State& state, Instant at, const ChangeService& command);
// Stops jobs that still run on a drained node or GPU after its deadline.
void EndDrains(const State& state, Instant at, Events& events);

Result<Events> DecideSetQueue(const State& state, const SetQueue& command);
Result<Events> DecideDeleteQueue(const State& state, const DeleteQueue& command);
Result<Events> DecideChangeNode(const State& state, const ChangeNode& command);

Result<Events> DecideReserve(const State& state, Instant at, const ReserveNodes& command);
Result<Events> DecideEndReservation(const State& state, const EndReservation& command);
Result<Events> DecideGrant(const State& state, const GrantRole& command);
Result<Events> DecideIssue(const State& state, const Envelope& envelope, const IssueToken& command);
Result<Events> DecideRevoke(const State& state, const RevokeToken& command);
Result<Events> DecideCertify(const State& state, const Envelope& envelope,
                             const CertifyNode& command);
Result<Events> DecideRevokeNode(const State& state, const RevokeNode& command);
Result<Events> DecideRefusal(const NoteRefusal& command);
Result<Events> DecideSetBudget(const State& state, const SetBudget& command);
Result<Events> DecideDeleteBudget(const State& state, const DeleteBudget& command);
Result<Events> DecideReviewBudget(const State& state, Instant at, const ReviewBudget& command);
// Ends the budgets of a queue that is deleted.
void EndBudgets(const State& state, const std::string& queue, Events& events);
// Ends the roles and tokens of a queue that is deleted.
void EndAccess(const State& state, const std::string& queue, Events& events);
// Whether the job may name the reservation that it names.
Status CheckReservationOf(const State& state, const JobSpec& spec, const std::string& user,
                          const Queue& queue);

Result<Events> DecideSubmit(const State& state, const Envelope& envelope, const SubmitJob& command);
Result<Events> DecideStop(const State& state, const StopJob& command);
Result<Events> DecideHold(const State& state, const HoldJob& command);
Result<Events> DecideRelease(const State& state, const ReleaseJob& command);
Result<Events> DecidePriority(const State& state, const SetPriority& command);
Result<Events> DecideTimeLimit(const State& state, Instant at, const ChangeTimeLimit& command);

Result<Events> DecidePreemption(const State& state, Instant at, const PreemptJob& command);
// Whether the nodes exist, one for each rank of the job.
Status CheckGangNodes(const State& state, const Job& job, const std::vector<NodeId>& nodes);
// Whether the job may start on these nodes once others have left them.
Status CheckPreemptor(const State& state, Instant at, const Job& by,
                      const std::vector<NodeId>& nodes);
Result<Events> DecideMoves(const State& state, Instant at, const MoveJobs& command);
Result<Events> DecidePlacement(const State& state, Instant at, const PlaceGang& command);

// Handles a full list of the node's leases.  `all_missing_ended`: a lease that is not listed does
// not exist; otherwise a lease that never started may still be on its way to the node.
void ObserveLeases(const State& state, Instant at, const Node& node,
                   const std::vector<LeaseObservation>& observed, bool all_missing_ended,
                   Events& events);

// A lease is over: the event, and what follows for its job (others of the gang are stopped, the job
// ends or is queued again).  REQUIRES: of one job at most one lease ends per command and node.
void EndLease(const State& state, Instant at, const Lease& lease, const LeaseOutcome& outcome,
              Events& events);

}  // namespace gp
