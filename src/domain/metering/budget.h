#pragma once

// Budgets: how much may be used in a span of time, such as a month, in GPU-hours or money, and the
// standing of a user.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/time.h"
#include "base/wide.h"
#include "domain/metering/usage.h"

namespace gp {

// What happens when a budget is used up: to submitted jobs, and with kHold also to running and
// pending jobs.
enum class OverBudget { kWarn, kDemote, kRefuse, kHold };

const char* Name(OverBudget action);

inline constexpr size_t kWarnLevelsMax = 8;

// Whose use the budget limits.
struct BudgetKey {
  std::string queue;  // and those below it; empty: all
  std::string user;   // empty: all users together; kEachUser: each user separately
  std::string pool;   // whose GPUs count; empty: all
  auto operator<=>(const BudgetKey&) const = default;
};
GP_FIELDS(BudgetKey, v.queue, v.user, v.pool)

inline const std::string kEachUser = "*";

// One user of a budget of each user; for any other budget the user that it names, or none.
struct BudgetUser {
  BudgetKey key;
  std::string user;
  auto operator<=>(const BudgetUser&) const = default;
};
GP_FIELDS(BudgetUser, v.key, v.user)

// The level of a budget that a user has reached.
struct BudgetLevel {
  int64_t month = 0;  // its first day, of the wall clock
  int warned = 0;     // the highest warning percentage that was reached; 0: none
  bool is_used_up = false;
  bool operator==(const BudgetLevel&) const = default;
};
GP_FIELDS(BudgetLevel, v.month, v.warned, v.is_used_up)
inline constexpr size_t kBudgetsMax = 10'000;

// Whether this user's use in the queue and pool counts for the budget.
bool CountsFor(const BudgetKey& budget, const std::string& queue, const std::string& user,
               const std::string& pool);

// "queue research, each user"
std::string ToText(const BudgetKey& key);

struct Budget {
  GpuTime time;                           // 0: no limit
  int64_t money_micros = 0;               // 0: no limit
  std::vector<int> warn_at{50, 80, 100};  // per cent, rising
  OverBudget over = OverBudget::kWarn;
  bool operator==(const Budget&) const = default;
};
GP_FIELDS(Budget, v.time, v.money_micros, v.warn_at, v.over)

struct BudgetStanding {
  int per_cent = 0;  // used, of the limit that is nearer; rounded down
  int warned = 0;    // the highest level reached; 0: none
  bool is_used_up = false;
  bool is_too_early = false;          // for a forecast: the expected use is the present use
  int expected_per_cent = 0;          // at the end, at the rate of the last days
  std::optional<Instant> used_up_at;  // at that rate, before the end
  bool operator==(const BudgetStanding&) const = default;
};

// The standing at `at` of a budget that lasts until `end`.  `recent`: the use in the last
// `recent_span`; a span of 0: it is too early for a forecast.
BudgetStanding StandingOf(const Budget& budget, const UsageSum& used, const UsageSum& recent,
                          Duration recent_span, Instant at, Instant end);

}  // namespace gp
