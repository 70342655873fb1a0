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
#include "domain/scheduling/find_victims.h"
#include "domain/scheduling/kept_nodes.h"
#include "domain/scheduling/plan.h"
#include "domain/scheduling/rankings.h"
#include "domain/scheduling/ready_times.h"
#include "domain/scheduling/scratch_nodes.h"
#include "domain/scheduling/turns.h"

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
  void HonourMove(const Job& job);
  void HoldDestination(const Job& job, const std::optional<PlaceGang>& place);
  PlaceGang FreeOfDestination(const Job& job);
  const Job& AsGiven(const Job& job);
  const Job& AsPlaced(const Job& job, int variant, int nodes);
  std::optional<PlaceGang> PlaceAtDestination(const Job& job);
  void HonourRecovery(const Job& job);
  PlaceGang RestOfPlace(const Job& job);
  void HonourClaim(const Job& job);
  bool TryLine(const Turns::Turn& turn);
  bool TryHead(const Job& job, ShapeRanking& ranking);
  bool ClearFor(const Job& job, bool is_promised);
  void KeepFor(const Job& job, ShapeRanking& ranking, bool only_if_sure);
  bool LimitsTell() const;
  bool Interrupt(const Job& job);
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
  Turns turns_;
  KeptNodes kept_;
  Holdings planned_;
  std::set<JobId> counted_;  // in it
  std::vector<const Job*> placed_;
  std::deque<Job> variants_;  // of those, as they were placed
  std::set<JobId> promised_;  // their places are being cleared
  // Before the queue: by their claims, as they are being moved, or after a fault
  std::set<JobId> settled_;
  std::set<std::tuple<QueueLine, size_t, int>> in_vain_;
  std::set<std::string> pools_reserved_;  // where somebody waited too long
  std::optional<Interruptible> interruptible_;
  Plan plan_;
};

}  // namespace gp
