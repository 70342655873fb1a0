#pragma once

// Holds every durable commit against what is true: programs that really run, GPUs that really
// failed, wishes that were acknowledged.  It is told before anybody else, so nothing follows from a
// commit before it is judged. The state's own rules (domain/cluster/invariants.h) are the
// controller's business and are checked by it.

#include <map>
#include <set>
#include <string>

#include "ports/inbound/control_gateway.h"
#include "simulation/world/findings.h"
#include "simulation/world/gpu_hardware.h"
#include "simulation/world/programs.h"
#include "simulation/world/savings.h"

namespace gp {

class LedgerWatch : public CommitObserver {
 public:
  LedgerWatch(Timeline& timeline, const WorldPlan& plan, const Programs& programs, Savings& savings,
              Findings& findings);

  void OnCommit(const State& state, const std::vector<Event>& events) override;

  // Clients.  `job`: of the plan, by position.
  void Acknowledged(size_t job, JobId id);
  void StopAsked(JobId job) { stops_asked_.insert(job); }
  void StopAcknowledged(JobId job) { stopped_.insert(job); }
  void HoldAcknowledged(JobId job, bool is_held);
  // Of an array all its elements; empty: not acknowledged yet.
  std::vector<JobId> IdsOf(size_t job) const;

  // Hosts: a GPU has failed, was reset or mended, and a test has found it sound.
  void Failed(size_t host, int gpu);
  void WasReset(size_t host, int gpu);
  void WasTested(size_t host, int gpu);
  // A driver, or a kernel's log, told the agent of an error: the ledger is to hear of it, unless
  // that agent ends first.
  void WasTold(size_t host, int gpu, int xid);
  void AgentEnded(size_t host);

  // A host, by its position in the plan, and a card of it (gpu_hardware.h).
  using Place = std::pair<size_t, int>;
  // By its UUID, as the ledger has it at this position of its node.
  Place PlaceOf(const State& state, NodeId node, int gpu) const;
  const std::map<std::string, Place>& places() const { return places_; }
  // The one whose name it is.
  std::optional<size_t> HostNamed(const std::string& name) const;

  // At the end of a world in which all has been healed.
  void CheckEnd(const State& state, const WorldPart& part);

 private:
  enum class Repair { kNone, kReset, kTest };  // what a GPU needs before anybody new may use it
  using Error = std::pair<Place, int>;         // by its XID

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
  std::map<std::string, Place> places_;  // of every GPU that there ever is
  std::map<size_t, JobId> submitted_;
  std::map<size_t, JobId> acknowledged_;
  // By what was told so far: the state may be several events ahead.
  std::map<JobId, std::vector<LeaseId>> placed_;  // of the newest attempt, by rank
  std::map<JobId, Instant> placed_at_;            // of the newest attempt
  std::map<LeaseId, std::set<Place>> granted_;    // cards
  std::set<Place> missing_;                       // cards that the ledger knows to be away
  std::set<JobId> ended_;
  std::set<JobId> stops_asked_;
  std::set<JobId> stopped_;
  std::set<JobId> held_;
  std::map<Place, Repair> repairs_;
  std::set<Place> known_;  // that have failed, and the ledger was told
  std::map<std::string, Reservation> reservations_;
  uint64_t epoch_ = 0;                   // of the controller that committed last
  std::set<Place> out_;                  // taken out of service and not found sound by a test since
  std::map<Error, Instant> unreported_;  // that only their agents know, since when
  std::map<Error, Instant> heard_at_;    // by the ledger, the last time
};

}  // namespace gp
