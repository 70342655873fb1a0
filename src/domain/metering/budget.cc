#include "domain/metering/budget.h"

#include <algorithm>

namespace gp {
namespace {

constexpr int kPerCentMax = 1'000'000;

int PerCent(Wide part, Wide whole) {
  return static_cast<int>(std::clamp<Wide>(part * 100 / whole, 0, kPerCentMax));
}

// One of the two limits.
struct Limit {
  Wide limit = 0;
  Wide used = 0;
  Wide recent = 0;
};

std::vector<Limit> LimitsOf(const Budget& budget, const UsageSum& used, const UsageSum& recent) {
  std::vector<Limit> limits;
  if (budget.time.units > 0)
    limits.push_back({budget.time.units, used.time.units, std::max<Wide>(recent.time.units, 0)});
  if (budget.money_micros > 0)
    limits.push_back(
        {budget.money_micros, used.money.To(1), std::max<Wide>(recent.money.To(1), 0)});
  return limits;
}

// When the rest is used up at the recent rate; none: never.
std::optional<Instant> UsedUpAt(const Limit& limit, Duration recent_span, Instant at) {
  if (limit.used >= limit.limit) return at;
  if (limit.recent == 0) return std::nullopt;
  const Wide wait = (limit.limit - limit.used) * recent_span.ns / limit.recent;
  if (wait > INT64_MAX - at.ns) return std::nullopt;
  return at + Duration{static_cast<int64_t>(wait)};
}

}  // namespace

const char* Name(OverBudget action) {
  switch (action) {
    case OverBudget::kWarn: return "warn";
    case OverBudget::kDemote: return "demote";
    case OverBudget::kRefuse: return "refuse";
    case OverBudget::kHold: return "hold";
  }
  return "?";
}

bool CountsFor(const BudgetKey& budget, const std::string& queue, const std::string& user,
               const std::string& pool) {
  return (budget.queue.empty() || queue == budget.queue || queue.starts_with(budget.queue + "/")) &&
         (budget.user.empty() || budget.user == kEachUser || user == budget.user) &&
         (budget.pool.empty() || pool == budget.pool);
}

std::string ToText(const BudgetKey& key) {
  std::string text = key.queue.empty() ? "all queues" : "queue " + key.queue;
  if (!key.user.empty()) text += key.user == kEachUser ? ", each user" : ", user " + key.user;
  if (!key.pool.empty()) text += ", pool " + key.pool;
  return text;
}

BudgetStanding StandingOf(const Budget& budget, const UsageSum& used, const UsageSum& recent,
                          Duration recent_span, Instant at, Instant end) {
  BudgetStanding standing;
  standing.is_too_early = recent_span.ns <= 0;
  for (const Limit& limit : LimitsOf(budget, used, standing.is_too_early ? UsageSum() : recent)) {
    standing.per_cent = std::max(standing.per_cent, PerCent(limit.used, limit.limit));
    const Wide still_to_come =
        standing.is_too_early ? 0 : limit.recent * (end - at).ns / recent_span.ns;
    standing.expected_per_cent =
        std::max(standing.expected_per_cent, PerCent(limit.used + still_to_come, limit.limit));
    const std::optional<Instant> gone = UsedUpAt(limit, recent_span, at);
    if (gone && *gone < end && (!standing.used_up_at || *gone < *standing.used_up_at))
      standing.used_up_at = gone;
  }
  for (const int level : budget.warn_at) {
    if (standing.per_cent >= level) standing.warned = level;
  }
  standing.is_used_up = standing.per_cent >= 100;
  return standing;
}

}  // namespace gp
