#pragma once

// GPU time and money as messages.

#include <functional>
#include <span>
#include <string>

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/cluster/state.h"
#include "gpu_platform/v1/control.pb.h"
#include "gpu_platform/v1/cost.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

inline constexpr size_t kUsageRowsMax = 50'000;

// Which rows are asked for, and how they are put together.
struct UsageQuery {
  UsageBy by;
  int64_t first_day = 0;
  int64_t last_day = 0;
  std::string queue;  // and below; empty: all
  std::string user;
  std::string pool;
};

// "2026-11-01" as days since 1970, from 1970 to 9999.
Result<int64_t> ParseDay(const std::string& text);
std::string DayText(int64_t day);

// Empty days are filled in as of `now`.  kInvalidArgument names the field.
Result<UsageQuery> FromProto(const v1::GetUsageRequest& message, Instant now);

// All that has run up until then, of rows that `may_see` lets through; days of which only the month
// or the year is known any more count as that.  kInvalidArgument: more than kUsageRowsMax rows.
Status UsageView(const UsageMeter& meter, Instant until, const UsageQuery& query,
                 const std::function<bool(const UsageKey&)>& may_see, v1::Usage* message);

// Its standings are of the users that `may_see` lets through; empty: of everybody.
void BudgetView(const State& state, const BudgetKey& key, Instant now,
                const std::function<bool(const std::string& user)>& may_see, v1::Budget* message);

// kInvalidArgument: money or over.
Result<SetBudget> FromProto(const v1::SetBudgetRequest& message);

// What these jobs have used, together, and how busy GPUs were in the attempts that their lines
// show.
void JobsUseView(const State& state, std::span<const Job* const> jobs, Instant now, v1::Job* line);

}  // namespace gp
