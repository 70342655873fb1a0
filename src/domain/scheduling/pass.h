#pragma once

// One pass over the queue.  What it plans it holds on scratch copies of nodes, which stand in their
// classes for as long as the pass lasts.

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
  std::set<JobId> counted_;  // in it
  std::vector<const Job*> placed_;
  std::deque<Job> variants_;          // of those, as they were placed
  std::set<JobId> awaiting_victims_;  // their places are being cleared
  // Before the queue: by their claims, as they are being moved, or after a fault
  std::set<JobId> settled_;
  std::set<std::tuple<EquivalenceClass, size_t, int>> in_vain_;
  std::set<std::string> pools_with_reservation_;  // where somebody waited too long
  std::optional<PreemptionCandidates> candidates_;
  Plan plan_;
};

}  // namespace gp
