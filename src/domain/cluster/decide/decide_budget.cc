#include <algorithm>
#include <ranges>
#include <set>

#include "base/text.h"
#include "domain/cluster/decide/decide_parts.h"
#include "domain/cluster/quotas/budgets.h"
#include "domain/model/access.h"
#include "domain/model/jobs/variants.h"

namespace gp {
namespace {

constexpr int kPerCentMax = 1'000;
constexpr int64_t kGpuHoursMax = 1'000'000'000;
constexpr int64_t kMoneyMax = int64_t{1'000'000'000} * kMicrosPerUnit;

Status CheckWarnLevels(const std::vector<int>& levels) {
  int before = 0;
  for (const int level : levels) {
    if (level <= before || level > kPerCentMax)
      return Fail(
          InvalidArgument("warn_at: percentages from 1 to 1000, each above the one before"));
    before = level;
  }
  if (levels.size() > kWarnLevelsMax)
    return Fail(InvalidArgument("warn_at: at most " + std::to_string(kWarnLevelsMax) + " levels"));
  return Ok();
}

Status CheckOwner(const State& state, const BudgetKey& key) {
  if (!key.queue.empty() && !state.queues.all.contains(key.queue))
    return Fail(NotFound("queue: there is no queue " + Printable(key.queue, 140)));
  const auto is_in_pool = [&](const auto& one) { return one.pool == key.pool; };
  if (!key.pool.empty() && key.pool != kDefaultPool &&
      std::ranges::none_of(state.nodes.all, is_in_pool) &&
      std::ranges::none_of(std::views::values(state.queues.all), is_in_pool)) {
    return Fail(NotFound("pool: no node and no queue is in pool " + Printable(key.pool, 140) +
                         " (gpu-platform pools)"));
  }
  if (!key.user.empty() && !IsSubject(key.user))
    return Fail(InvalidArgument("user: the name of a user, or * for each of them"));
  return Ok();
}

// Running jobs write a checkpoint and wait for the next month or a larger budget.
void Interrupt(const State& state, const BudgetUser& who, Events& events) {
  std::set<JobId> jobs;
  for (const auto& [id, lease] : state.leases.all) jobs.insert(lease.job);
  for (const JobId id : jobs) {
    const Job& job = *state.FindJob(id);
    if (job.stop == StopCause::kNone && AsksForGpus(*job.spec) && CountsFor(who, job)) {
      events.push_back(
          JobStopOrdered{id, StopCause::kBudget, StopOrder::kGraceful, SaysUsedUp(who.key)});
    }
  }
}

}  // namespace

Result<Events> DecideCommand(const State& state, const Envelope&, const SetBudget& command) {
  GP_CHECK_OK(CheckOwner(state, command.key));
  const auto known = state.queues.budgets.find(command.key);
  Budget budget = known == state.queues.budgets.end() ? Budget{} : known->second;
  if (command.gpu_hours) {
    if (*command.gpu_hours < 0 || *command.gpu_hours > kGpuHoursMax)
      return Fail(InvalidArgument("gpu_hours: from 0 to " + std::to_string(kGpuHoursMax)));
    budget.time = {kGpuHour.units * *command.gpu_hours};
  }
  if (command.money_micros) {
    if (*command.money_micros < 0 || *command.money_micros > kMoneyMax)
      return Fail(
          InvalidArgument("money: from 0 to " + std::to_string(kMoneyMax / kMicrosPerUnit)));
    if (*command.money_micros > 0 && state.policy.prices.rules.empty())
      return Fail(Conflict(
          "money: the policy has no prices, so that nothing costs anything (docs/cost.md#prices)"));
    budget.money_micros = *command.money_micros;
  }
  if (command.warn_at) budget.warn_at = *command.warn_at;
  if (command.over) budget.over = *command.over;
  GP_CHECK_OK(CheckWarnLevels(budget.warn_at));
  if (budget.time.units == 0 && budget.money_micros == 0)
    return Fail(InvalidArgument("a budget has GPU-hours, or money, or both"));
  if (known == state.queues.budgets.end() && state.queues.budgets.size() >= kBudgetsMax)
    return Fail(Conflict("there are " + std::to_string(kBudgetsMax) + " budgets already"));
  if (known != state.queues.budgets.end() && known->second == budget) return Events{};
  return Events{BudgetChanged{command.key, budget}};
}
AuditWords WordsFor(const State&, const Events&, const SetBudget& command) {
  std::string details;
  const auto add = [&](const std::string& what) {
    details += (details.empty() ? "" : ", ") + what;
  };
  if (command.gpu_hours) add(std::to_string(*command.gpu_hours) + " GPU-hours");
  if (command.money_micros) add(ToText(Money::OfMicros(*command.money_micros)));
  if (command.warn_at) {
    std::string levels;
    for (const int level : *command.warn_at)
      levels += (levels.empty() ? "" : ", ") + std::to_string(level);
    add("warns at " + levels + " %");
  }
  if (command.over) add(Name(*command.over));
  return {"SetBudget", ToText(command.key), details};
}

Result<Events> DecideCommand(const State& state, const Envelope&, const DeleteBudget& command) {
  if (!state.queues.budgets.contains(command.key))
    return Fail(NotFound("there is no budget of " + Printable(ToText(command.key), 200)));
  return Events{BudgetDeleted{command.key}};
}
AuditWords WordsFor(const State&, const Events&, const DeleteBudget& command) {
  return {"DeleteBudget", ToText(command.key), ""};
}

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const ReviewBudget& command) {
  const Instant at = envelope.at;
  const auto budget = state.queues.budgets.find(command.key);
  if (budget == state.queues.budgets.end()) return Events{};  // deleted meanwhile
  std::map<std::string, BudgetLevel> levels = LevelsOf(state, command.key, at);
  for (auto known = state.queues.budget_levels.lower_bound({command.key, ""});
       known != state.queues.budget_levels.end() && known->first.key == command.key; ++known)
    levels[known->first.user];
  Events events;
  for (const auto& [user, level] : levels) {
    const BudgetUser who{command.key, user};
    const auto known = state.queues.budget_levels.find(who);
    const bool is_any = level.warned > 0 || level.is_used_up;
    if (known == state.queues.budget_levels.end() ? is_any : known->second != level)
      events.push_back(BudgetLevelChanged{who, level});
    if (level.is_used_up && budget->second.over == OverBudget::kHold) Interrupt(state, who, events);
  }
  return events;
}

void EndBudgets(const State& state, const std::string& queue, Events& events) {
  for (auto it = state.queues.budgets.lower_bound({queue, "", ""});
       it != state.queues.budgets.end() && it->first.queue == queue; ++it)
    events.push_back(BudgetDeleted{it->first});
}

}  // namespace gp
