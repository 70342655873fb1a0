#include "domain/cluster/decide/decide.h"

#include "domain/cluster/decide/decide_parts.h"

namespace gp {

Result<std::vector<Event>> Decide(const State& state, const Envelope& envelope) {
  const Instant at = envelope.at;
  struct Visitor {
    const State& state;
    const Envelope& envelope;
    Instant at;
    Result<Events> operator()(const StepWallClock& c) { return DecideStepWallClock(state, c); }
    Result<Events> operator()(const StartController& c) {
      return DecideStart(state, envelope.at, c);
    }
    Result<Events> operator()(const JoinNode& c) { return DecideJoin(state, at, c); }
    Result<Events> operator()(const ReportNode& c) { return DecideReport(state, at, c); }
    Result<Events> operator()(const ExpireHeartbeat& c) {
      return DecideHeartbeatTimeout(state, at, c);
    }
    Result<Events> operator()(const DeclareNodeLost& c) { return DecideDeclareLost(state, at, c); }
    Result<Events> operator()(const ChangeService& c) { return DecideService(state, at, c); }
    Result<Events> operator()(const SubmitJob& c) { return DecideSubmit(state, envelope, c); }
    Result<Events> operator()(const StopJob& c) { return DecideStop(state, c); }
    Result<Events> operator()(const HoldJob& c) { return DecideHold(state, c); }
    Result<Events> operator()(const ReleaseJob& c) { return DecideRelease(state, c); }
    Result<Events> operator()(const PlaceGang& c) { return DecidePlacement(state, at, c); }
    Result<Events> operator()(const PreemptJob& c) { return DecidePreemption(state, at, c); }
    Result<Events> operator()(const SetQueue& c) { return DecideSetQueue(state, c); }
    Result<Events> operator()(const DeleteQueue& c) { return DecideDeleteQueue(state, c); }
    Result<Events> operator()(const ChangeNode& c) { return DecideChangeNode(state, c); }
    Result<Events> operator()(const SetPriority& c) { return DecidePriority(state, c); }
    Result<Events> operator()(const ReserveNodes& c) { return DecideReserve(state, at, c); }
    Result<Events> operator()(const EndReservation& c) { return DecideEndReservation(state, c); }
    Result<Events> operator()(const MoveJobs& c) { return DecideMoves(state, at, c); }
    Result<Events> operator()(const ReportGpus& c) { return DecideGpuReport(state, at, c); }
    Result<Events> operator()(const ChangeIncident& c) {
      return DecideIncident(state, envelope, c);
    }
    Result<Events> operator()(const GrantRole& c) { return DecideGrant(state, c); }
    Result<Events> operator()(const IssueToken& c) { return DecideIssue(state, envelope, c); }
    Result<Events> operator()(const RevokeToken& c) { return DecideRevoke(state, c); }
    Result<Events> operator()(const CertifyNode& c) { return DecideCertify(state, envelope, c); }
    Result<Events> operator()(const RevokeNode& c) { return DecideRevokeNode(state, c); }
    Result<Events> operator()(const SetBudget& c) { return DecideSetBudget(state, c); }
    Result<Events> operator()(const DeleteBudget& c) { return DecideDeleteBudget(state, c); }
    Result<Events> operator()(const ReviewBudget& c) { return DecideReviewBudget(state, at, c); }
    Result<Events> operator()(const SetPolicy& c) { return DecideSetPolicy(state, c); }
    Result<Events> operator()(const ChangeTimeLimit& c) { return DecideTimeLimit(state, at, c); }
    Result<Events> operator()(const NoteChange& c) {
      return Events{ChangeNoted{c.operation, c.target}};
    }
    Result<Events> operator()(const NoteRefusal& c) { return DecideRefusal(c); }
    Result<Events> operator()(const Tick&) { return DecideTick(state, at); }
  };
  return std::visit(Visitor{state, envelope, at}, envelope.command);
}

}  // namespace gp
