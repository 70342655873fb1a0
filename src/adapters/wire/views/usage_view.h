#pragma once

// GPU time and money as messages.

#include <functional>
#include <span>
#include <string>

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/cluster/state/state.h"
#include "gpu_platform/v1/control.pb.h"
#include "gpu_platform/v1/cost.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

inline constexpr size_t kUsageRowsMax = 50'000;

// The requested rows and their grouping.
struct UsageQuery {
  UsageBy by;
  int64_t first_day = 0;
  int64_t last_day = 0;
  std::string queue;  // and below; empty: all
  std::string user;
  std::string pool;
};

// "2026-11-01" as days since 1970; years 1970 to 9999.
Result<int64_t> ParseDay(const std::string& text);
std::string DayText(int64_t day);

// Days that are not given get defaults as of `now`.  kInvalidArgument names the field.
Result<UsageQuery> FromProto(const v1::GetUsageRequest& message, Instant now);

// The attempt that is shown with its GPUs; nullptr: none.  A job that is queued again is shown as
// waiting, without its last attempt.
const AttemptRecord* ShownAttempt(const Job& job);

// The usage up to `until` in rows that `may_see` allows.  Days that the ledger has combined into a
// month or year count as that whole row.  kInvalidArgument: more than kUsageRowsMax rows.
Status UsageView(const UsageMeter& meter, Instant until, const UsageQuery& query,
                 const std::function<bool(const UsageKey&)>& may_see, v1::Usage* message);

// Includes the standings of users that `may_see` allows; an empty function allows all.
void BudgetView(const State& state, const BudgetKey& key, Instant now,
                const std::function<bool(const std::string& user)>& may_see, v1::Budget* message);

// kInvalidArgument: `money` or `over` is wrong.
Result<SetBudget> FromProto(const v1::SetBudgetRequest& message);

// The usage of these jobs together, and how busy the GPUs were in the attempts that their lines
// show.
void JobsUseView(const State& state, std::span<const Job* const> jobs, Instant now, v1::Job* line);

}  // namespace gp
