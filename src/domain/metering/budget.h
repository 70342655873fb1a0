#pragma once

// How much somebody may use in a span of time, such as a month, in GPU-hours or money, and how they
// stand.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/wide.h"
#include "domain/metering/usage.h"

namespace gp {

// What happens when all is used up: to jobs that are submitted, and with kHold to those that run or
// wait.
enum class OverBudget { kWarn, kDemote, kRefuse, kHold };

const char* Name(OverBudget action);

inline constexpr size_t kWarnLevelsMax = 8;

// Whose budget it is.
struct BudgetKey {
  std::string queue;  // and those below it; empty: all
  std::string user;   // empty: everybody's together; kEachUser: of each one by itself
  std::string pool;   // whose GPUs count; empty: all
  auto operator<=>(const BudgetKey&) const = default;
};

inline const std::string kEachUser = "*";

// One user of a budget of each user; of any other budget the user that it names, or nobody.
struct BudgetUser {
  BudgetKey key;
  std::string user;
  auto operator<=>(const BudgetUser&) const = default;
};

// How far somebody was seen to have come with a budget.
struct BudgetLevel {
  int64_t month = 0;  // its first day, of the wall clock
  int warned = 0;     // the highest percentage to warn at that was reached; 0: none
  bool is_used_up = false;
  bool operator==(const BudgetLevel&) const = default;
};
inline constexpr size_t kBudgetsMax = 10'000;

// Whether what this user uses there counts for it.
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

struct BudgetStanding {
  int per_cent = 0;  // used, of what is nearer to its limit; rounded down
  int warned = 0;    // the highest level reached; 0: none
  bool is_used_up = false;
  bool is_too_early = false;          // to expect anything: what is expected is what is used
  int expected_per_cent = 0;          // at the end, if it goes on as in the last days
  std::optional<Instant> used_up_at;  // then, before the end
  bool operator==(const BudgetStanding&) const = default;
};

// At `at`, of a budget that holds until `end`.  `recent`: what was used in the last `recent_span`;
// 0: it is too early to expect anything.
BudgetStanding StandingOf(const Budget& budget, const UsageSum& used, const UsageSum& recent,
                          Duration recent_span, Instant at, Instant end);

}  // namespace gp
