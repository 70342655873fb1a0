#include "domain/cluster/quotas/budgets.h"

#include <algorithm>

#include "base/calendar.h"

namespace gp {
namespace {

// The first instant of a day.
Instant BeginOf(int64_t day) { return {day * kDay.ns}; }

// Sums of the use of jobs that count for the budget, by user.
class Sums {
 public:
  explicit Sums(const BudgetKey& budget) : budget_(budget) {
    if (budget.user != kEachUser) by_user_[budget.user];
  }

  void Add(const UsageKey& row, const UsageSum& sum) {
    if (row.kind != UsageKind::kJobs || !CountsFor(budget_, row.queue, row.user, row.pool)) return;
    UsageSum& all = by_user_[UserOf(row)];
    all.time += sum.time;
    all.money += sum.money;
  }
  void Add(const UsageKey& row, GpuTime time) { Add(row, {time, Money(time, row.price)}); }
  // Adds a settled day, by the wall clock of the ledger; the use began at the end of the day at the
  // latest.
  void AddDay(const UsageKey& row, GpuTime time, Duration wall) {
    Add(row, time);
    NoteBegin(row, BeginOf(row.day + 1) - wall);
  }
  // Adds what has accrued from then on and is not settled.
  void AddOpen(const UsageMeter& meter, Instant from, Instant until) {
    for (const auto& [row, rate] : meter.rates) {
      const Instant since = std::max(from, rate.since);
      if (since >= until) continue;
      Add(row, GpuTime{Wide{rate.share} * MillisecondsBetween(since, until)});
      NoteBegin(row, since);
    }
  }
  // The latest possible begin of the user's use; kNever: there was none.
  Instant BeginOfUse(const std::string& user) const {
    const auto begin = begins_.find(user);
    return begin == begins_.end() ? kNever : begin->second;
  }
  UsageSum Of(const std::string& user) const {
    const auto sum = by_user_.find(user);
    return sum == by_user_.end() ? UsageSum() : sum->second;
  }
  const std::map<std::string, UsageSum>& by_user() const { return by_user_; }

 private:
  const std::string& UserOf(const UsageKey& row) const {
    return budget_.user == kEachUser ? row.user : budget_.user;
  }
  void NoteBegin(const UsageKey& row, Instant begin) {
    if (row.kind != UsageKind::kJobs || !CountsFor(budget_, row.queue, row.user, row.pool)) return;
    const auto [known, is_new] = begins_.try_emplace(UserOf(row), begin);
    if (!is_new) known->second = std::min(known->second, begin);
  }

  const BudgetKey& budget_;
  std::map<std::string, UsageSum> by_user_;
  std::map<std::string, Instant> begins_;
};

int64_t NextMonth(int64_t day) { return FirstOfMonth(FirstOfMonth(day) + 31); }

// The use since the first of the month.
Sums UsedIn(const State& state, const BudgetKey& budget, Instant at) {
  const UsageMeter& meter = state.metering.used;
  const int64_t first = FirstOfMonth(DayOf(at + meter.wall));
  Sums used(budget);
  // If nothing was entered yet in this month, the ledger still sums up an earlier one.
  if (FirstOfMonth(meter.ledger.today) == first) {
    for (const auto& [row, sum] : meter.ledger.month) used.Add(row, sum);
  }
  used.AddOpen(meter, BeginOf(first) - meter.wall, at);
  return used;
}

}  // namespace

UsageSum UsedOf(const State& state, const BudgetKey& budget, const std::string& user, Instant at) {
  BudgetKey own = budget;
  if (own.user == kEachUser) own.user = user;
  return UsedIn(state, own, std::max(at, state.metering.now)).Of(own.user);
}

std::map<std::string, UserStanding> StandingsOf(const State& state, const BudgetKey& key,
                                                Instant at) {
  at = std::max(at, state.metering.now);
  const UsageMeter& meter = state.metering.used;
  const Sums used = UsedIn(state, key, at);
  const int64_t first = DayOf(at + meter.wall) - kRecentDays;
  const Instant begin = BeginOf(first) - meter.wall;
  Sums recent(key);
  for (auto row = meter.ledger.rows.rbegin();
       row != meter.ledger.rows.rend() && row->first.day >= first; ++row)
    recent.AddDay(row->first, row->second, meter.wall);
  recent.AddOpen(meter, begin, at);
  const Instant month = BeginOf(FirstOfMonth(DayOf(at + meter.wall))) - meter.wall;
  std::map<std::string, UserStanding> standings;
  for (const auto& [user, sum] : used.by_user()) {
    // A rate over less than a day is no basis for a month's forecast.
    const Instant begin_of_use = recent.BeginOfUse(user);
    const bool is_too_early =
        at - month < kDay || (begin_of_use != kNever && begin_of_use > at - kDay);
    const Instant end = BeginOf(NextMonth(DayOf(at + meter.wall))) - meter.wall;
    UserStanding& standing =
        standings[user] = {sum, StandingOf(state.queues.budgets.at(key), sum, recent.Of(user),
                                           is_too_early ? Duration{} : at - begin, at, end)};
    std::optional<Instant>& gone = standing.standing.used_up_at;
    if (gone) gone = WallOf(state.time, *gone);  // for display
  }
  return standings;
}

std::map<std::string, BudgetLevel> LevelsOf(const State& state, const BudgetKey& key, Instant at) {
  at = std::max(at, state.metering.now);
  const int64_t month = FirstOfMonth(DayOf(at + state.metering.used.wall));
  std::map<std::string, BudgetLevel> levels;
  const Sums used = UsedIn(state, key, at);
  for (const auto& [user, sum] : used.by_user()) {
    const BudgetStanding standing = StandingOf(state.queues.budgets.at(key), sum, {}, {}, at, at);
    levels[user] = {month, standing.warned, standing.is_used_up};
  }
  return levels;
}

bool CountsFor(const BudgetUser& who, const Job& job) {
  return CountsFor(who.key, job.queue, job.user.name, job.pool) &&
         (who.key.user != kEachUser || who.user == job.user.name);
}

std::string SaysUsedUp(const BudgetKey& key) {
  return "the budget of " + ToText(key) + " for this month is used up (gpu-platform budget list)";
}

std::optional<BudgetStop> FindBudgetStop(const State& state, const std::string& queue,
                                         const std::string& user, const std::string& pool,
                                         Instant at) {
  std::optional<BudgetStop> found;
  for (const auto& [key, budget] : state.queues.budgets) {
    if (budget.over == OverBudget::kWarn || budget.over == OverBudget::kHold ||
        !CountsFor(key, queue, user, pool) || (found && budget.over <= found->over))
      continue;
    const BudgetStanding standing =
        StandingOf(budget, UsedOf(state, key, user, at), {}, {}, at, at);
    if (standing.is_used_up) found = {key, budget.over};
  }
  return found;
}

}  // namespace gp
