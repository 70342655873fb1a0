#include "adapters/wire/views/usage_view.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/calendar.h"
#include "base/text.h"
#include "domain/cluster/metering.h"
#include "domain/cluster/quotas/budgets.h"

namespace gp {
namespace {

double GpuHours(GpuTime time) {
  return static_cast<double>(time.units) / static_cast<double>(kGpuHour.units);
}

double Amount(const Money& money) {
  return static_cast<double>(money.exact) / static_cast<double>(kGpuHour.units) / kMicrosPerUnit;
}

std::optional<int> Digits(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number =
      error == std::errc() && end == text.data() + text.size() &&
      std::ranges::all_of(text, [](char one) { return one >= '0' && one <= '9'; });
  return is_number ? std::optional(number) : std::nullopt;
}

void RowView(const UsageKey& key, const UsageBy& by, const UsageSum& sum, const UsageSum& all,
             v1::UsageRow* row) {
  if (by.day) row->set_day(DayText(key.day));
  row->set_kind(Name(key.kind));
  row->set_pool(key.pool);
  row->set_model(key.model);
  row->set_queue(key.queue);
  row->set_user(key.user);
  row->set_gpu_hours(GpuHours(sum.time));
  row->set_cost(Amount(sum.money));
  if (all.time.units > 0) row->set_part(GpuHours(sum.time) / GpuHours(all.time));
}

bool IsAskedFor(const UsageKey& row, const UsageQuery& query) {
  return (query.queue.empty() || row.queue == query.queue ||
          row.queue.starts_with(query.queue + "/")) &&
         (query.user.empty() || row.user == query.user) &&
         (query.pool.empty() || row.pool == query.pool);
}

void StandingView(const std::string& user, const UserStanding& one, v1::BudgetStanding* message) {
  const auto& [used, standing] = one;
  message->set_user(user);
  message->set_gpu_hours(GpuHours(used.time));
  message->set_cost(Amount(used.money));
  message->set_percent(standing.per_cent);
  message->set_warned(standing.warned);
  message->set_used_up(standing.is_used_up);
  message->set_expected_percent(standing.expected_per_cent);
  message->set_too_early(standing.is_too_early);
  if (standing.used_up_at && !standing.is_used_up)
    message->set_used_up_at(ToRfc3339(*standing.used_up_at));
}

Status Take(int by, UsageBy& all) {
  switch (by) {
    case v1::GetUsageRequest::KIND: return Ok();
    case v1::GetUsageRequest::DAY: all.day = true; return Ok();
    case v1::GetUsageRequest::POOL: all.pool = true; return Ok();
    case v1::GetUsageRequest::MODEL: all.model = true; return Ok();
    case v1::GetUsageRequest::QUEUE: all.queue = true; return Ok();
    case v1::GetUsageRequest::USER: all.user = true; return Ok();
    default:
      return Fail(InvalidArgument("by: there is no " + std::to_string(by) +
                                  "; there are kind, day, pool, model, queue and user"));
  }
}

// The usage that was asked for and may be seen, in sums.
struct AskedUsage {
  const UsageQuery& query;
  const std::function<bool(const UsageKey&)>& may_see;
  int64_t first_day = 0;
  int64_t last_day = 0;
  UsageSums rows, kinds;
  UsageSum all;

  void Add(const UsageKey& row, GpuTime time) {
    if (row.day < first_day || row.day > last_day || !IsAskedFor(row, query) || !may_see(row))
      return;
    AddTo(rows, query.by, row, time);
    AddTo(kinds, {}, row, time);
    all.time += time;
    all.money += Money(time, row.price);
  }
};

void AddSettled(const UsageLedger& ledger, AskedUsage& asked) {
  UsageKey first;
  first.day = asked.first_day;
  first.kind = {};
  for (auto row = ledger.rows.lower_bound(first);
       row != ledger.rows.end() && row->first.day <= asked.last_day; ++row)
    asked.Add(row->first, row->second);
}

void AddUnsettled(const UsageMeter& meter, Instant until, AskedUsage& asked) {
  UsageLedger open;  // usage that is not settled yet
  open.today = meter.ledger.today;
  for (const auto& [row, rate] : meter.rates)
    open.Add(row, rate.since + meter.wall, until + meter.wall, rate.share);
  for (const auto& [row, time] : open.rows) asked.Add(row, time);
}

void AskedUsageView(const AskedUsage& asked, v1::Usage* message) {
  message->set_from(DayText(asked.first_day));
  message->set_until(DayText(asked.last_day));
  for (const auto& [key, sum] : asked.rows)
    RowView(key, asked.query.by, sum, asked.all, message->add_rows());
  for (const auto& [key, sum] : asked.kinds) RowView(key, {}, sum, asked.all, message->add_kinds());
  message->set_gpu_hours(GpuHours(asked.all.time));
  message->set_cost(Amount(asked.all.money));
}

struct UseSum {
  JobUse use;
  BusyTime busy;
};

void AddJob(const State& state, const Job& job, Instant now, UseSum& sum) {
  if (job.attempts.empty()) return;
  const JobUse use = UseOf(state, job, std::max(now, state.metering.now));
  sum.use.time += use.time;
  sum.use.money += use.money;
  sum.use.repeated += use.repeated;
  sum.use.repeated_money += use.repeated_money;
  const AttemptRecord* attempt = ShownAttempt(job);
  if (attempt == nullptr) return;
  for (const RankRecord& rank : attempt->ranks) {
    const Lease* lease = state.FindLease(rank.lease);
    const BusyTime busy = BusyTimeOf(lease == nullptr ? rank.use : lease->use);
    sum.busy.seen_ms += busy.seen_ms;
    sum.busy.busy_ms += busy.busy_ms;
  }
}

void JobUseView(const JobUse& use, const std::string& currency, v1::JobUse* message) {
  message->set_gpu_hours(GpuHours(use.time));
  message->set_cost(Amount(use.money));
  message->set_currency(currency);
  message->set_repeated_gpu_hours(GpuHours(use.repeated));
  message->set_repeated_cost(Amount(use.repeated_money));
}

}  // namespace

const AttemptRecord* ShownAttempt(const Job& job) {
  const bool is_shown = HoldsLeases(job.state) || IsTerminal(job.state);
  return is_shown && !job.attempts.empty() ? &job.attempts.back() : nullptr;
}

Result<int64_t> ParseDay(const std::string& text) {
  using namespace std::chrono;
  const auto fail = [&] {
    return Fail(InvalidArgument("\"" + Printable(text, 40) + "\" is no day such as 2026-11-01"));
  };
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return fail();
  const auto y = Digits(text.substr(0, 4)), m = Digits(text.substr(5, 2)),
             d = Digits(text.substr(8, 2));
  if (!y || !m || !d || *y < 1970) return fail();
  const year_month_day date{year{*y}, month{static_cast<unsigned>(*m)},
                            day{static_cast<unsigned>(*d)}};
  if (!date.ok()) return fail();
  return sys_days{date}.time_since_epoch().count();
}

std::string DayText(int64_t day) {
  return ToRfc3339({day * kDay.ns}).substr(0, std::string_view("2026-11-01").size());
}

Result<UsageQuery> FromProto(const v1::GetUsageRequest& message, Instant now) {
  const auto day_of = [](const char* field, const std::string& text,
                         int64_t otherwise) -> Result<int64_t> {
    if (text.empty()) return otherwise;
    auto day = ParseDay(text);
    if (!day) return Fail(InvalidArgument(std::string(field) + ": " + day.error().message));
    return day;
  };
  UsageQuery query;
  query.by.kind = true;
  for (const int by : message.by()) GP_CHECK_OK(Take(by, query.by));
  const int64_t today = DayOf(now);
  query.last_day = GP_TRY(day_of("until", message.until(), today));
  query.first_day =
      GP_TRY(day_of("from", message.from(), FirstOfMonth(std::min(today, query.last_day))));
  if (query.first_day > query.last_day)
    return Fail(InvalidArgument("from: " + DayText(query.first_day) + " comes after " +
                                DayText(query.last_day)));
  query.queue = message.queue();
  query.user = message.user();
  query.pool = message.pool();
  return query;
}

Status UsageView(const UsageMeter& meter, Instant until, const UsageQuery& query,
                 const std::function<bool(const UsageKey&)>& may_see, v1::Usage* message) {
  // Old days are combined into rows of months and years, which count whole.
  AskedUsage asked{query, may_see, meter.ledger.FirstOfRow(query.first_day),
                   meter.ledger.LastOfRow(query.last_day)};
  AddSettled(meter.ledger, asked);
  AddUnsettled(meter, until, asked);
  if (asked.rows.size() > kUsageRowsMax) {
    return Fail(InvalidArgument(
        "by: these are " + std::to_string(asked.rows.size()) + " rows, and an answer has at most " +
        std::to_string(kUsageRowsMax) + ": ask for fewer days (from, until) or by less"));
  }
  AskedUsageView(asked, message);
  return Ok();
}

void BudgetView(const State& state, const BudgetKey& key, Instant now,
                const std::function<bool(const std::string& user)>& may_see, v1::Budget* message) {
  const Budget& budget = state.queues.budgets.at(key);
  message->set_queue(key.queue);
  message->set_user(key.user);
  message->set_pool(key.pool);
  message->set_gpu_hours(static_cast<int64_t>(budget.time.units / kGpuHour.units));
  message->set_money(static_cast<double>(budget.money_micros) / kMicrosPerUnit);
  for (const int level : budget.warn_at) message->add_warn_at(level);
  message->set_over(Name(budget.over));
  for (const auto& [user, one] : StandingsOf(state, key, now)) {
    if (may_see(user)) StandingView(user, one, message->add_standings());
  }
}

Result<SetBudget> FromProto(const v1::SetBudgetRequest& message) {
  gp::SetBudget set;
  set.key = {message.queue(), message.user(), message.pool()};
  if (message.has_gpu_hours()) set.gpu_hours = message.gpu_hours();
  if (message.has_money()) {
    const double micros = std::round(message.money() * kMicrosPerUnit);
    if (!(micros >= 0 && micros <= 1e15))
      return Fail(InvalidArgument("money: from 0 to 1,000,000,000"));
    set.money_micros = static_cast<int64_t>(micros);
  }
  if (!message.warn_at().empty())
    set.warn_at.emplace(message.warn_at().begin(), message.warn_at().end());
  if (!message.has_over()) return set;
  for (const OverBudget over :
       {OverBudget::kWarn, OverBudget::kDemote, OverBudget::kRefuse, OverBudget::kHold}) {
    if (message.over() == Name(over)) set.over = over;
  }
  if (!set.over)
    return Fail(InvalidArgument("over: \"" + Printable(message.over(), 40) +
                                "\"; there are warn, demote, refuse and hold"));
  return set;
}

void JobsUseView(const State& state, std::span<const Job* const> jobs, Instant now, v1::Job* line) {
  UseSum sum;
  for (const Job* job : jobs) AddJob(state, *job, now, sum);
  if (sum.use != JobUse()) JobUseView(sum.use, state.policy.prices.currency, line->mutable_use());
  if (sum.busy.seen_ms > 0)
    line->set_gpu_busy(static_cast<double>(sum.busy.busy_ms) /
                       static_cast<double>(sum.busy.seen_ms));
}

}  // namespace gp
