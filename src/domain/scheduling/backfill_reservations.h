#pragma once

// Nodes on which a pass places nobody but those they are kept or reserved for, and jobs that will
// have left in time.

#include <map>
#include <optional>
#include <set>

#include "domain/cluster/state.h"

namespace gp {

// When those will have ended who have no time limit: at some time, which nobody knows.
inline constexpr Instant kSomeTime{kNever.ns - 1};

// For whom a node is kept.
struct BackfillReservation {
  JobId job;
  // It can start then at the latest, so others may stay until then.  kSomeTime: whoever has a time
  // limit may; ns == 0: nobody may.
  Instant shadow_time;
  bool operator==(const BackfillReservation&) const = default;
};

// Whether it is known when it starts there at the latest.
inline bool HasShadowTime(const BackfillReservation& backfill) {
  return backfill.shadow_time.ns != 0 && backfill.shadow_time != kSomeTime;
}

class BackfillReservations {
 public:
  BackfillReservations(const State& state, Instant at,
                       const std::map<NodeId, BackfillReservation>& backfill = {});

  void Reserve(NodeId node, const BackfillReservation& backfill);
  // Those on which the job must not be placed now.  Valid until the next Keep or ClosedTo.
  const std::set<NodeId>& ClosedTo(const Job& job);
  // How often Keep was called.
  int changes() const { return changes_; }
  // Jobs of one bound that own no node, and name no reservation, find the same nodes closed.
  size_t BoundOf(const Job& job);
  // All that are kept for others, however short it stays, or reserved for them before it has left.
  std::set<NodeId> OfOthers(const Job& job) const;
  // All that are kept, its own too, or reserved for others before it has left.
  std::set<NodeId> Taken(const Job& job) const;
  const std::map<NodeId, BackfillReservation>& all() const { return backfill_; }

 private:
  std::set<NodeId> WorkOut(const Job& job) const;
  void AddReserved(const Job& job, std::set<NodeId>& closed) const;

  const State& state_;
  Instant at_;
  int changes_ = 0;
  std::map<NodeId, BackfillReservation> backfill_;
  std::set<JobId> owners_;  // of them, and who was one
  // Moments before which whoever is let in must have left
  std::optional<std::set<Instant>> opens_;
  std::map<size_t, std::set<NodeId>> by_bound_;  // closed to jobs that own none
  std::set<NodeId> of_owner_;                    // for the last one that was asked about
};

}  // namespace gp
