#pragma once

// The numbers that decisions depend on.  They are part of the state, set by a command, so that a
// replay decides with the same ones.

#include "base/time.h"
#include "domain/faults/fault_policy.h"
#include "domain/metering/prices.h"
#include "domain/model/placement_weights.h"

namespace gp {

struct JobSpec;

// What a supervisor may take to end a job whose lease ran out, and half a second for its own delay.
inline constexpr Duration kLeaseEndTime = Duration::Milliseconds(2'500);

// What follows when a job's GPUs are idle: when they were busy for less than so much of their time,
// as far as that was measured.  0: nothing does.
struct UnderUseRule {
  int below_percent = 5;
  Duration warn_after = Duration::Minutes(2 * 60);
  Duration stop_after;  // with its grace; one that keeps its work is held, any other is ended
  bool operator==(const UnderUseRule&) const = default;
};

struct UnderUsePolicy {
  UnderUseRule high, medium, low;
  UnderUseRule interactive{5, Duration::Minutes(60), {}};
  bool operator==(const UnderUsePolicy&) const = default;
};

struct Policy {
  // A lease that is not renewed for so long has run out.
  Duration lease_time = Duration::Seconds(10);
  Duration lease_end_time = kLeaseEndTime;
  // So many attempts in a row may be lost to the platform, none of them of any use, before a job is
  // given up.
  int faults_max = 16;
  // A queued job passed over for this time keeps the nodes that it could use for itself; 0: from
  // the first pass on.
  Duration reserve_after;
  // Finished jobs that are remembered.
  int jobs_kept = 100'000;
  // A preemptible job runs for so long before it may be interrupted for another.
  Duration min_run = Duration::Minutes(10);
  // A queue that holds less than it is guaranteed waits for no more than this before min_run counts
  // no longer.
  Duration reclaim_grace = Duration::Minutes(5);
  // After so long, use counts half.
  Duration share_half_life = Duration::Minutes(7 * 24 * 60);
  // What is held now counts as if it had been held for so long.
  Duration share_horizon = Duration::Minutes(60);
  // Limits of GPU-hours count over periods of so long, from 1970 on.
  Duration usage_period = Duration::Minutes(30 * 24 * 60);
  // A job that has waited for so long is asked as one of the next class.
  Duration age_after = Duration::Minutes(60);
  // Per cent of its pool that every class gets for jobs that have waited for age_after.
  int class_floor = 5;
  // What a move is reckoned to cost a job, beside its grace: to start again and to read its
  // checkpoint.
  Duration move_cost = Duration::Minutes(2);
  // A job is moved at most once in so long.
  Duration move_interval = Duration::Minutes(60);
  // Jobs moved in any hour, of all.
  int moves_per_hour = 60;
  // A node fails once in so long; for advice only. Meta saw 47.7 days of a job on 8 GPUs (arXiv
  // 2410.21680).
  Duration node_mtbf = Duration::Minutes(50 * 24 * 60);
  FaultPolicy faults;
  // What each pool wants of places.
  WeightsByPool placement;
  PriceList prices;
  UnderUsePolicy under_use;
  // Finished jobs are remembered for so long; 0: as long as jobs_kept lets them.
  Duration jobs_kept_for;
};

// How long a job waits before nodes are kept for it.  One GPU, parts of GPUs and cores alone come
// free all the time, and a whole node that is kept for them costs others more than it gives: these
// jobs wait for five minutes at least.
Duration ReservesAfter(const Policy& policy, const JobSpec& spec);

}  // namespace gp
