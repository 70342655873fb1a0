#pragma once

// One pass over the queue. It plans on scratch copies of nodes, and puts those copies into their
// classes until the pass is destroyed.

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "domain/cluster/quota.h"
#include "domain/scheduling/backfill_reservations.h"
#include "domain/scheduling/find_victims.h"
#include "domain/scheduling/plan.h"
#include "domain/scheduling/queue_order.h"
#include "domain/scheduling/rankings.h"
#include "domain/scheduling/ready_times.h"
#include "domain/scheduling/scratch_nodes.h"

namespace gp {

// Plans once for one state and instant: call Run once. The state must not change meanwhile. The
// destructor puts the nodes back into the classes of the state. Not thread-safe.
class Pass {
 public:
  Pass(const State& state, Instant at, NodeClasses& classes, Rankings& rankings,
       ReadyTimes& ready_times);
  ~Pass();
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  Plan Run();

 private:
  void PlaceMoving(const Job& job);
  void HoldDestination(const Job& job, const std::optional<PlaceGang>& place);
  PlaceGang FreeOfDestination(const Job& job);
  const Job& AsGiven(const Job& job);
  const Job& AsPlaced(const Job& job, int variant, int nodes);
  std::optional<PlaceGang> PlaceAtDestination(const Job& job);
  void PlaceRecovering(const Job& job);
  PlaceGang RestOfPlace(const Job& job);
  void PlaceNominated(const Job& job);
  bool TryEquivalenceClass(const QueueOrder::Candidate& candidate);
  bool TryHead(const Job& job, ShapeRanking& ranking);
  bool PreemptOrReserve(const Job& job, bool awaits_victims);
  void ReserveFor(const Job& job, ShapeRanking& ranking, bool only_if_sure);
  bool AnyTimeLimits() const;
  bool Preempt(const Job& job);
  bool PlaceVariant(const Job& job);
  void Place(const Job& job, const ShapeRanking::Pick& pick, int variant = 0);
  void Add(const Job& job, PlaceGang place);
  void HoldBack(const Job& job, PlaceGang place);
  void Hold(const Job& job, const std::vector<RankPlacement>& ranks);
  bool IsStoppedByQuota(const Job& job);
  void CountOnQuotas(const Job& job);
  void LookAgainAt(Instant at);
  Instant NextPeriod() const;

  const State& state_;
  const Instant at_;
  NodeClasses& classes_;
  Rankings& rankings_;
  ReadyTimes& ready_times_;
  ScratchNodes nodes_;
  QueueOrder queue_order_;
  BackfillReservations backfill_;
  Holdings planned_;
  std::set<JobId> counted_;  // jobs counted in planned_
  std::vector<const Job*> placed_;
  std::deque<Job> variants_;          // jobs of placed_ with variants, as placed
  std::set<JobId> awaiting_victims_;  // victims of these jobs are still running
  // Handled before the queue: nominated jobs, moved jobs, jobs interrupted by a fault
  std::set<JobId> settled_;
  // Classes that failed, without their run time, with the bound and the number of changes of
  // backfill_ then
  std::set<std::tuple<EquivalenceClass, size_t, int>> in_vain_;
  std::set<std::string> pools_with_reservation_;  // with a backfill reservation in this pass
  std::optional<PreemptionCandidates> preemption_candidates_;
  Plan plan_;
};

}  // namespace gp
