#pragma once

#include <map>
#include <set>
#include <string>

#include "ports/inbound/control_gateway.h"
#include "simulation/world/findings.h"
#include "simulation/world/gpu_hardware.h"
#include "simulation/world/programs.h"
#include "simulation/world/savings.h"

namespace gp {

// Checks every durable commit against the truth: programs that really run, GPUs that really failed,
// commands that were acknowledged.  It sees a commit before all other observers, so nothing acts on
// a commit that was not checked.  The controller itself checks the state's own rules
// (domain/cluster/check/invariants.h).
class LedgerWatch : public CommitObserver {
 public:
  LedgerWatch(Timeline& timeline, const WorldPlan& plan, const Programs& programs, Savings& savings,
              Findings& findings);

  void OnCommit(const State& state, const CommittedRecords& committed) override;
  // Of records that were decided at `decided_at`: they came late to the store, or their process
  // crashed before it reported the commit.
  void OnLateCommit(const State& state, const CommittedRecords& committed, Instant decided_at);

  // Called by clients.  `job`: position in the plan.
  void Acknowledged(size_t job, JobId id);
  void StopRequested(JobId job) { stops_asked_.insert(job); }
  void StopAcknowledged(JobId job) { stopped_.insert(job); }
  void HoldAcknowledged(JobId job, bool is_held);
  // All elements if it is an array; empty: not acknowledged yet.
  std::vector<JobId> IdsOf(size_t job) const;

  // Called by hosts: a GPU has failed, was reset or repaired, or has passed a test.
  void Failed(size_t host, int gpu);
  void WasReset(size_t host, int gpu);
  void WasTested(size_t host, int gpu);
  // A driver or kernel log has reported an error to the agent.  The ledger must record it, unless
  // that agent ends first.
  void WasTold(size_t host, int gpu, int xid);
  void AgentEnded(size_t host);

  // A host, by its position in the plan, and a card of it (gpu_hardware.h).
  using Place = std::pair<size_t, int>;
  // The card whose UUID the ledger has at this position of its node.
  Place PlaceOf(const State& state, NodeId node, int gpu) const;
  const std::map<std::string, Place>& places() const { return places_; }
  // The host that owns the name.
  std::optional<size_t> HostNamed(const std::string& name) const;

  // Called at the end of a world in which everything has been healed.
  void CheckEnd(const State& state, const WorldPart& part);

 private:
  enum class Repair { kNone, kReset, kTest };  // what a GPU needs before another job may use it
  using Error = std::pair<Place, int>;         // a card and an XID

  void Judge(const State& state, const JobSubmitted& event);
  void Judge(const State&, const NodeJoined& event);
  void Judge(const State& state, const GangPlaced& event);
  void Judge(const State&, const JobStarted& event);
  void Judge(const State&, const LeaseEnded& event);
  void Judge(const State& state, const JobEnded& event);
  void Judge(const State&, const CheckpointSaved& event);
  void Judge(const State& state, const FaultSeen& event);
  void Judge(const State& state, const GpuConditionChanged& event);
  void Judge(const State&, const NodesReserved& event);
  void Judge(const State&, const ReservationEnded& event);
  void Judge(const State& state, const WallClockStepped&);
  template <typename E>
  void Judge(const State&, const E&) {}
  void CheckArray(const State& state, const Job& job);
  void CheckReserved(const std::string& job, Instant placed_at, const std::set<NodeId>& nodes);
  void CheckCompleted(const Job& job);
  void CheckErrorsKnown();
  void CheckFailed(const Job& job, int exit_code);
  void CheckTimedOut(const Job& job);
  void Expect(bool holds, const std::string& what);
  std::optional<size_t> PlanOf(const JobSpec& spec) const;

  Timeline& timeline_;
  const WorldPlan& plan_;
  const Programs& programs_;
  Savings& savings_;
  Findings& findings_;
  std::map<std::string, size_t> hosts_;
  std::map<std::string, Place> places_;  // of every GPU that ever exists
  std::map<size_t, JobId> submitted_;
  std::map<size_t, JobId> acknowledged_;
  // As of the event that is checked: the state may be several events ahead.
  std::map<JobId, std::vector<LeaseId>> placed_;  // of the newest attempt, by rank
  std::map<JobId, Instant> placed_at_;            // of the newest attempt
  std::optional<Instant> decided_at_;             // of a late commit, while it is checked
  std::map<LeaseId, std::set<Place>> granted_;    // cards
  std::set<Place> missing_;                       // cards that the ledger records as missing
  std::set<JobId> ended_;
  std::set<JobId> stops_asked_;
  std::set<JobId> stopped_;
  std::set<JobId> held_;
  std::map<Place, Repair> repairs_;
  std::set<Place> known_;  // failed cards whose failure the ledger has recorded
  std::map<std::string, Reservation> reservations_;
  uint64_t epoch_ = 0;                   // of the controller that made the last commit
  std::set<Place> out_;                  // out of service and not passed a test since
  std::map<Error, Instant> unreported_;  // errors that only their agents know, since when
  std::map<Error, Instant> heard_at_;    // when the ledger last recorded each error
};

}  // namespace gp
