#pragma once

// Backfill reservations of one pass: the nodes that are reserved for a pending job, on which other
// jobs start only if they end before that job starts.

#include <map>
#include <optional>
#include <set>

#include "domain/cluster/state/state.h"

namespace gp {

// The shadow time if a job without a time limit is in the way: the start is not known.
inline constexpr Instant kUnknownStart{kNever.ns - 1};

// The job that a node is reserved for, and when it starts.
struct BackfillReservation {
  JobId job;
  // The job starts at this time at the latest; other jobs may run there until then. kUnknownStart:
  // any job with a time limit may run there; ns == 0: no other job may, as on nominated nodes.
  Instant shadow_time;
  bool operator==(const BackfillReservation&) const = default;
};

// Whether the latest start is known.
inline bool HasShadowTime(const BackfillReservation& backfill) {
  return backfill.shadow_time.ns != 0 && backfill.shadow_time != kUnknownStart;
}

// The backfill and advance reservations that a pass respects. Not thread-safe.
class BackfillReservations {
 public:
  BackfillReservations(const State& state, Instant at,
                       const std::map<NodeId, BackfillReservation>& backfill = {});

  void Reserve(NodeId node, const BackfillReservation& backfill);
  // Nodes on which the job must not start now. Valid until the next call of Reserve or ClosedTo.
  const std::set<NodeId>& ClosedTo(const Job& job);
  // Number of calls of Reserve.
  int changes() const { return changes_; }
  // Jobs with the same bound find the same nodes closed, if they own no backfill reservation and
  // name no advance reservation.
  size_t BoundOf(const Job& job);
  // All nodes with a backfill reservation for another job, even if this job would end in time, and
  // all nodes of advance reservations that the job would overlap.
  std::set<NodeId> OfOthers(const Job& job) const;
  // The same, and the nodes with a backfill reservation for this job.
  std::set<NodeId> Taken(const Job& job) const;
  const std::map<NodeId, BackfillReservation>& all() const { return backfill_; }

 private:
  std::set<NodeId> ComputeClosed(const Job& job) const;
  void AddReserved(const Job& job, std::set<NodeId>& closed) const;

  const State& state_;
  Instant at_;
  int changes_ = 0;
  std::map<NodeId, BackfillReservation> backfill_;
  std::set<JobId> owners_;  // jobs that have or had a backfill reservation
  // Shadow times, and starts and ends of advance reservations, in order
  std::optional<std::set<Instant>> opens_;
  std::map<size_t, std::set<NodeId>> by_bound_;  // closed to jobs without a backfill reservation
  std::set<NodeId> of_owner_;                    // result of the last call for an owner
};

}  // namespace gp
