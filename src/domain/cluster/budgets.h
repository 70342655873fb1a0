#pragma once

// How budgets stand, and what that means for a job that is submitted.

#include <map>
#include <optional>
#include <string>

#include "domain/cluster/state.h"
#include "domain/metering/budget.h"

namespace gp {

// What was used of it since the first of this month; of each user's budget: by `user`.
UsageSum UsedOf(const State& state, const BudgetKey& budget, const std::string& user, Instant at);

// How its users stand, with what is to be expected from the last kRecentDays: of each user's budget
// whoever used any of it this month, of others the one that it names.  On the first day of a month,
// and of use that counts, nothing is expected.
struct UserStanding {
  UsageSum used;
  BudgetStanding standing;
};
std::map<std::string, UserStanding> StandingsOf(const State& state, const BudgetKey& key,
                                                Instant at);

// The level that each has reached whose use this month counts for it.
std::map<std::string, BudgetLevel> LevelsOf(const State& state, const BudgetKey& key, Instant at);
inline constexpr int64_t kRecentDays = 7;

// Whether what the job uses counts for it.
bool CountsFor(const BudgetUser& who, const Job& job);

// "the budget of queue research for this month is used up (gpu-platform budget list)"
std::string SaysUsedUp(const BudgetKey& key);

// Of the budgets that are used up and act on what is submitted, and count for such a job, the one
// that asks for most.
struct BudgetStop {
  BudgetKey key;
  OverBudget over = OverBudget::kWarn;
};
std::optional<BudgetStop> FindBudgetStop(const State& state, const std::string& queue,
                                         const std::string& user, const std::string& pool,
                                         Instant at);

}  // namespace gp
