#pragma once

// The numbers that decisions depend on.  They are part of the state and set by a command, so that a
// replay decides with the same numbers.

#include "base/fields.h"
#include "base/time.h"
#include "domain/faults/fault_policy.h"
#include "domain/metering/prices.h"
#include "domain/model/nodes/placement_weights.h"

namespace gp {

struct JobSpec;

// The time that a supervisor may take to end a job whose lease expired, plus half a second for its
// own delay.
inline constexpr Duration kLeaseEndTime = Duration::Milliseconds(2'500);

// What follows when a job's GPUs are idle: busy for less than below_percent of the measured time.
// 0: nothing.
struct UnderUseRule {
  int below_percent = 5;
  Duration warn_after = Duration::Minutes(2 * 60);
  Duration stop_after;  // with its grace; a job that keeps its work is held, any other ends
  bool operator==(const UnderUseRule&) const = default;
};
GP_FIELDS(UnderUseRule, v.below_percent, v.warn_after, v.stop_after)

struct UnderUsePolicy {
  UnderUseRule high, medium, low;
  UnderUseRule interactive{5, Duration::Minutes(60), {}};
  bool operator==(const UnderUsePolicy&) const = default;
};
GP_FIELDS(UnderUsePolicy, v.high, v.medium, v.low, v.interactive)

struct Policy {
  // A lease that is not renewed for this time expires.
  Duration lease_time = Duration::Seconds(10);
  Duration lease_end_time = kLeaseEndTime;
  // Number of consecutive attempts without progress that the platform may lose before the job
  // fails.
  int faults_max = 16;
  // A queued job that was passed over for this time gets a backfill reservation; 0: from the first
  // pass on.
  Duration reserve_after;
  // How many finished jobs are remembered.
  int jobs_kept = 100'000;
  // A preemptible job runs at least this long before it may be preempted.
  Duration min_run = Duration::Minutes(10);
  // A queue below its guarantee waits at most this long; then min_run no longer protects victims.
  Duration reclaim_grace = Duration::Minutes(5);
  // After this time, use counts half.
  Duration share_half_life = Duration::Minutes(7 * 24 * 60);
  // What is held now counts as if it had been held for this time.
  Duration share_horizon = Duration::Minutes(60);
  // Limits of GPU-hours apply to periods of this length, counted from 1970.
  Duration usage_period = Duration::Minutes(30 * 24 * 60);
  // A job that has waited for this time is considered in the next class up.
  Duration age_after = Duration::Minutes(60);
  // Per cent of its pool that each class gets for jobs that have waited for age_after.
  int class_floor = 5;
  // The assumed cost of a move to a job, besides its grace: to start again and to read its
  // checkpoint.
  Duration move_cost = Duration::Minutes(2);
  // A job is moved at most once in this time.
  Duration move_interval = Duration::Minutes(60);
  // At most this many jobs are moved in any hour.
  int moves_per_hour = 60;
  // The assumed mean time between failures of a node; for advice only.  Meta saw 47.7 days for a
  // job on 8 GPUs (arXiv 2410.21680).
  Duration node_mtbf = Duration::Minutes(50 * 24 * 60);
  FaultPolicy faults;
  // The placement weights of each pool.
  WeightsByPool placement;
  PriceList prices;
  UnderUsePolicy under_use;
  // How long finished jobs are remembered; 0: only jobs_kept limits that.
  Duration jobs_kept_for;
};
GP_FIELDS(Policy, v.lease_time, v.lease_end_time, v.faults_max, v.reserve_after, v.jobs_kept,
          v.min_run, v.reclaim_grace, v.share_half_life, v.share_horizon, v.usage_period,
          v.age_after, v.class_floor, v.move_cost, v.move_interval, v.moves_per_hour, v.faults,
          v.node_mtbf, v.placement, v.prices, v.under_use, v.jobs_kept_for)

// How long a job waits before nodes are reserved for it.  Single GPUs, parts of GPUs and cores
// become free all the time, and a node reserved for such jobs costs others more than it gains: they
// wait at least five minutes.
Duration ReservesAfter(const Policy& policy, const JobSpec& spec);

}  // namespace gp
