#pragma once

// The standing of budgets, and its effect on a job that is submitted.

#include <map>
#include <optional>
#include <string>

#include "domain/cluster/state/state.h"
#include "domain/metering/budget.h"

namespace gp {

// The use counted on the budget since the first of this month; for a budget of each user: the use
// by `user`.
UsageSum UsedOf(const State& state, const BudgetKey& budget, const std::string& user, Instant at);

// The standing of the budget's users, with a forecast from the last kRecentDays.  A budget of each
// user has an entry for every user with use this month, any other budget one entry.  There is no
// forecast on the first day of a month or of use.
struct UserStanding {
  UsageSum used;
  BudgetStanding standing;
};
std::map<std::string, UserStanding> StandingsOf(const State& state, const BudgetKey& key,
                                                Instant at);

// The level reached by each user whose use this month counts for the budget.
std::map<std::string, BudgetLevel> LevelsOf(const State& state, const BudgetKey& key, Instant at);
inline constexpr int64_t kRecentDays = 7;

// Whether the job's use counts for the budget.
bool CountsFor(const BudgetUser& who, const Job& job);

// "the budget of queue research for this month is used up (gpu-platform budget list)"
std::string SaysUsedUp(const BudgetKey& key);

// The strictest of the used-up budgets that count for such a job and act on submitted jobs.
struct BudgetStop {
  BudgetKey key;
  OverBudget over = OverBudget::kWarn;
};
std::optional<BudgetStop> FindBudgetStop(const State& state, const std::string& queue,
                                         const std::string& user, const std::string& pool,
                                         Instant at);

}  // namespace gp
