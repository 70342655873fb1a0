#include "domain/cluster/quotas/quota.h"

#include "domain/cluster/quotas/budgets.h"
#include "domain/cluster/quotas/guarantees.h"

namespace gp {
namespace {

// Checks limits against present holdings and use; `state` == nullptr: as if the job were alone.
class LimitCheck {
 public:
  LimitCheck(const State* state, Instant at, const Holdings& planned, const Holding& ask)
      : state_(state), at_(at), planned_(planned), ask_(ask) {}

  std::optional<QuotaStop> Of(const AccountId& id, const Quota& limit) const {
    using Kind = QuotaStop::Kind;
    const auto shares = limit.gpus ? std::optional(*limit.gpus * kWholeShare) : std::nullopt;
    if (auto stop = OfHeld(Kind::kGpus, id, &Holding::share, shares)) return stop;
    if (auto stop = OfHeld(Kind::kJobs, id, &Holding::jobs, limit.jobs)) return stop;
    if (auto stop = OfHeld(Kind::kCpus, id, &Holding::cpus, limit.cpus)) return stop;
    if (auto stop = OfHeld(Kind::kMemory, id, &Holding::memory_mib, limit.memory_mib)) return stop;
    if (limit.gpu_hours && ask_.share > 0) {
      const int64_t used = Find(id).period_use;
      if (used >= *limit.gpu_hours * kHourOfGpu)
        return QuotaStop{Kind::kGpuHours, id, 0, used, *limit.gpu_hours * kHourOfGpu};
    }
    return std::nullopt;
  }

 private:
  // A limit of what is held at once.
  std::optional<QuotaStop> OfHeld(QuotaStop::Kind kind, const AccountId& id,
                                  int64_t Holding::* what, std::optional<int64_t> limit) const {
    if (!limit || ask_.*what <= 0) return std::nullopt;
    const int64_t held = Held(id, what);
    if (held + ask_.*what <= *limit) return std::nullopt;
    return QuotaStop{kind, id, ask_.*what, held, *limit};
  }
  int64_t Held(const AccountId& id, int64_t Holding::* what) const {
    return state_ == nullptr ? 0 : HeldOrPlanned(*state_, planned_, id, what);
  }
  Account Find(const AccountId& id) const {
    return state_ == nullptr ? Account{} : AccountAt(*state_, id, at_);
  }

  const State* state_;
  const Instant at_;
  const Holdings& planned_;
  const Holding& ask_;
};

std::optional<QuotaStop> FindLimitStop(const State& state, const Job& job,
                                       const LimitCheck& check) {
  for (const std::string& path : PathsTo(job.queue)) {
    const Queue& queue = state.queues.all.at(path);
    if (auto stop = check.Of({path, ""}, queue.limit)) return stop;
    if (auto stop = check.Of({path, job.user.name}, queue.user_limit)) return stop;
  }
  if (const JobId array = LimitingArray(job); array.value != 0)
    return check.Of(AccountOf(array), LimitOf(job));
  return std::nullopt;
}

std::optional<QuotaStop> FindBudgetHold(const State& state, const Job& job, const Holding& ask) {
  if (ask.share == 0) return std::nullopt;
  for (const auto& [who, level] : state.queues.budget_levels) {
    if (!level.is_used_up || state.queues.budgets.at(who.key).over != OverBudget::kHold ||
        !CountsFor(who, job))
      continue;
    QuotaStop stop{QuotaStop::Kind::kBudget, {job.queue, ""}};
    stop.budget = who.key;
    return stop;
  }
  return std::nullopt;
}

}  // namespace

std::optional<QuotaStop> FindQuotaStop(const State& state, const Job& job, Instant at,
                                       const Holdings& planned) {
  const Holding ask = AskOf(state, job);
  if (auto stop = FindLimitStop(state, job, LimitCheck(&state, at, planned, ask))) return stop;
  if (auto stop = FindBudgetHold(state, job, ask)) return stop;
  return FindGuaranteeStop(state, job, planned, ask);
}

std::optional<QuotaStop> FindQuotaNeverMet(const State& state, const Job& job) {
  const Holding ask = AskOf(state, job);
  const Holdings none;
  return FindLimitStop(state, job, LimitCheck(nullptr, Instant{}, none, ask));
}

}  // namespace gp
