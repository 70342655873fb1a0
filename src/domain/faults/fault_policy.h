#pragma once

// The numbers and rules by which faults are judged.  A part of the policy, so of the journal: a
// replay judges with the rules of its time.

#include <map>

#include "base/time.h"
#include "domain/faults/health.h"
#include "domain/faults/xid.h"

namespace gp {

struct FaultPolicy {
  std::map<int, XidRule> xids;
  // Reports of one GPU that come so close together speak of one error.
  Duration correlate = Duration::Seconds(5);
  // A fault that comes back within this time belongs to the incident that is still open.
  Duration incident_window = Duration::Minutes(3);
  // Errors of programs are counted for so long, once for each user and spec.
  Duration error_window = Duration::Minutes(24 * 60);
  // A GPU is suspected with errors of so many users, and so many in all; and with that many more
  // times the mean of the other GPUs that have had such errors, where the first of each does not
  // count: an error anywhere is none much.
  int suspect_users = 3;
  int suspect_errors = 6;
  int suspect_factor = 6;
  // One user's errors count at most so often on a GPU: a flood of one, and an accident of two
  // others, are no many users.
  int suspect_errors_per_user = 3;
  // For so long after a fault took its attempt a job comes before all others, and keeps the GPUs
  // that it still had.
  Duration recovery_hold = Duration::Minutes(1);
  // Resets that the platform orders by itself, of one GPU in a day; then a person is asked.
  int resets_per_day = 1;
  // A node that failed so often within the window, and so many times as often as the others do,
  // takes no new work until a person has looked.
  int lemon_failures = 4;
  int lemon_factor = 4;
  Duration lemon_window = Duration::Minutes(7 * 24 * 60);
  // Past this share of a pool's GPUs taken out within the window nothing is reset or drained by
  // itself.  100: off.
  int breaker_percent = 20;
  // So many may be taken out in any case, and on so few nodes: what fails on one or two machines is
  // no storm, however small the site is.
  int breaker_gpus_min = 8;
  int breaker_nodes_min = 3;
  Duration breaker_window = Duration::Minutes(10);
  // What follows from each finding in a GPU's readings.
  HealthTable health = DefaultHealthTable();
};

inline constexpr Duration kResetsCounted = Duration::Minutes(24 * 60);  // the day of resets_per_day

const XidRule& RuleOf(const FaultPolicy& policy, int xid);

}  // namespace gp
