#pragma once

// The numbers and rules for judging faults. They are part of the policy, and so of the journal: a
// replay judges by the rules of its time.

#include <map>

#include "base/fields.h"
#include "base/time.h"
#include "domain/faults/health.h"
#include "domain/faults/xid.h"

namespace gp {

struct FaultPolicy {
  std::map<int, XidRule> xids;
  // Reports of one GPU within this time are about one error.
  Duration correlate = Duration::Seconds(5);
  // A fault that returns within this time belongs to the incident that is still open.
  Duration incident_window = Duration::Minutes(3);
  // Errors of programs are counted for this time, once for each user and spec.
  Duration error_window = Duration::Minutes(24 * 60);
  // A GPU becomes suspect if this many users had errors on it, and this many errors in all, and if
  // it has this many times the mean of the other GPUs with such errors. The mean leaves out the
  // first error of each GPU, because one error anywhere means little.
  int suspect_users = 3;
  int suspect_errors = 6;
  int suspect_factor = 6;
  // Largest number of one user's errors that count on a GPU: many errors of one user and a few of
  // two others are not many users.
  int suspect_errors_per_user = 3;
  // For this time after a fault interrupted it, a job is tried before all others and keeps its
  // remaining GPUs.
  Duration recovery_hold = Duration::Minutes(1);
  // Automatic resets of one GPU in a day; after that, an operator must act.
  int resets_per_day = 1;
  // A node with this many failures within the window, and this many times the failures of the
  // others, takes no new work until an operator has checked it.
  int lemon_failures = 4;
  int lemon_factor = 4;
  Duration lemon_window = Duration::Minutes(7 * 24 * 60);
  // If more than this share of a pool's GPUs went out of service within the window, no GPU is reset
  // or drained automatically. 100: off.
  int breaker_percent = 20;
  // Below this number of GPUs or of nodes the breaker does not act: failures on one or two machines
  // are no mass failure, however small the site is.
  int breaker_gpus_min = 8;
  int breaker_nodes_min = 3;
  Duration breaker_window = Duration::Minutes(10);
  // The action for each finding in a GPU's readings.
  HealthTable health = DefaultHealthTable();
};
GP_FIELDS(FaultPolicy, v.xids, v.correlate, v.incident_window, v.error_window, v.suspect_users,
          v.suspect_errors, v.suspect_factor, v.suspect_errors_per_user, v.resets_per_day,
          v.breaker_percent, v.breaker_gpus_min, v.breaker_window, v.recovery_hold,
          v.lemon_failures, v.lemon_factor, v.lemon_window, Since<17>(v.breaker_nodes_min),
          Since<17>(v.health))

inline constexpr Duration kResetsCounted = Duration::Minutes(24 * 60);  // the day of resets_per_day

const XidRule& RuleOf(const FaultPolicy& policy, int xid);

}  // namespace gp
