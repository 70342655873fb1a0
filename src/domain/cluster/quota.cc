#include "domain/cluster/quota.h"

#include <algorithm>

#include "domain/cluster/grants.h"
#include "domain/cluster/preemption.h"

namespace gp {
namespace {

constexpr int64_t kHourOfGpu = int64_t{3'600'000} * kWholeShare;

int64_t PlannedOr0(const Holdings& planned, const AccountId& id, int64_t Holding::*what) {
  const auto found = planned.find(id);
  return found == planned.end() ? 0 : found->second.*what;
}

// Against what is held and used; `state` == nullptr: against nothing, as if the job were alone.
class LimitCheck {
 public:
  LimitCheck(const State* state, Instant at, const Holdings& planned, const Holding& ask)
      : state_(state), at_(at), planned_(planned), ask_(ask) {}

  std::optional<QuotaStop> Of(const AccountId& id, const Quota& limit) const {
    using Kind = QuotaStop::Kind;
    if (limit.gpus) {
      const int64_t held = Held(id, &Holding::share);
      if (ask_.share > 0 && held + ask_.share > *limit.gpus * kWholeShare) return QuotaStop{Kind::kGpus, id, ask_.share, held, *limit.gpus * kWholeShare};
    }
    if (limit.jobs) {
      const int64_t held = Held(id, &Holding::jobs);
      if (held + 1 > *limit.jobs) return QuotaStop{Kind::kJobs, id, 1, held, *limit.jobs};
    }
    if (limit.gpu_hours && ask_.share > 0) {
      const int64_t used = Find(id).period_use;
      if (used >= *limit.gpu_hours * kHourOfGpu) return QuotaStop{Kind::kGpuHours, id, 0, used, *limit.gpu_hours * kHourOfGpu};
    }
    return std::nullopt;
  }

 private:
  int64_t Held(const AccountId& id, int64_t Holding::*what) const {
    return (state_ == nullptr ? 0 : HeldNow(*state_, id).*what) + PlannedOr0(planned_, id, what);
  }
  Account Find(const AccountId& id) const { return state_ == nullptr ? Account{} : AccountAt(*state_, id, at_); }

  const State* state_;
  const Instant at_;
  const Holdings& planned_;
  const Holding& ask_;
};

// In whichever queue its elements would stand.
AccountId AccountOf(JobId array) { return {"", "", array}; }

std::optional<QuotaStop> FindLimitStop(const State& state, const Job& job, const LimitCheck& check) {
  for (const std::string& path : PathsTo(job.queue)) {
    const Queue& queue = state.queues.at(path);
    if (auto stop = check.Of({path, ""}, queue.limit)) return stop;
    if (auto stop = check.Of({path, job.user.name}, queue.user_limit)) return stop;
  }
  if (const JobId array = LimitingArray(job); array.value != 0) return check.Of(AccountOf(array), LimitOf(job));
  return std::nullopt;
}

bool AnyGuarantee(const State& state, const std::string& pool) {
  return std::ranges::any_of(state.queues, [&](const auto& one) { return one.second.guaranteed > 0 && one.second.pool == pool; });
}

// What the queues of a pool may want to hold for good once the job does: what they hold, or are guaranteed, whichever is
// more, from the bottom of the tree up.
class Promises {
 public:
  Promises(const State& state, const Job& job, const Holdings& planned, const Holding& ask) {
    const std::vector<std::string> path = PathsTo(job.queue);
    // Backwards: queues come after those that they are below.
    for (auto next = state.queues.rbegin(); next != state.queues.rend(); ++next) {
      const auto& [name, queue] = *next;
      if (queue.pool != job.pool) continue;
      const AccountId id{name, ""};
      const auto below = below_.find(name);
      int64_t wanted = below == below_.end() ? HeldNow(state, id).firm_share + PlannedOr0(planned, id, &Holding::firm_share) : below->second;
      if (name == job.queue) own_ = wanted += ask.firm_share;
      const int64_t guaranteed = queue.guaranteed * kWholeShare;
      is_within_ = is_within_ || (wanted <= guaranteed && std::ranges::find(path, name) != path.end());
      below_[ParentOf(name)] += std::max(wanted, guaranteed);
    }
  }

  // The job's queue, or one above it, holds no more than its guarantee.
  bool is_within() const { return is_within_; }
  int64_t own() const { return own_; }  // of the job's queue
  int64_t all() const { return below_.at(""); }

 private:
  std::map<std::string, int64_t> below_;  // by the queue above; "": of the pool
  int64_t own_ = 0;
  bool is_within_ = false;
};

// Work that cannot be interrupted takes, beyond the guarantees of its queue and those above, only what is guaranteed to
// nobody.  The more others hold or plan to, the less: what is planned and does not happen makes nothing possible.
std::optional<QuotaStop> FindGuaranteeStop(const State& state, const Job& job, const Holdings& planned, const Holding& ask) {
  if (ask.firm_share == 0 || !AnyGuarantee(state, job.pool)) return std::nullopt;
  const Promises promises(state, job, planned, ask);
  const auto installed = state.capacity.find(job.pool);
  const int64_t capacity = installed == state.capacity.end() ? 0 : installed->second * kWholeShare;
  if (promises.is_within() || promises.all() <= capacity) return std::nullopt;
  // All that the queue holds counts up to the top, as none of those above is within its guarantee.
  const int64_t left = std::max<int64_t>(promises.own() - (promises.all() - capacity), 0);
  return QuotaStop{QuotaStop::Kind::kGuarantees, {job.queue, ""}, ask.firm_share, promises.own() - ask.firm_share, left};
}

std::string Gpus(int64_t share) {
  const int64_t rest = share % kWholeShare;
  std::string text = std::to_string(share / kWholeShare);
  if (rest == 0) return text;
  std::string places = std::to_string(kWholeShare + rest).substr(1);
  places.erase(places.find_last_not_of('0') + 1);
  return text + "." + places;
}

std::string Who(const AccountId& account) {
  if (account.array.value != 0) return "array " + ToText(account.array);
  return (account.user.empty() ? "" : "user " + account.user + " in ") + "queue " + account.queue;
}

}  // namespace

std::vector<AccountId> AccountsOf(const Job& job) {
  std::vector<AccountId> accounts;
  for (std::string& path : PathsTo(job.queue)) {
    accounts.push_back({path, ""});
    accounts.push_back({std::move(path), job.user.name});
  }
  if (const JobId array = LimitingArray(job); array.value != 0) accounts.push_back(AccountOf(array));
  return accounts;
}

Quota LimitOf(const Job& element) { return {{}, element.spec->array.max_parallel, {}}; }

Meter MeterOf(const Policy& policy) { return {policy.share_half_life, policy.usage_period}; }

Holding HeldNow(const State& state, const AccountId& id) {
  const auto found = state.accounts.find(id);
  return found == state.accounts.end() ? Holding{} : found->second.held;
}

Account AccountAt(const State& state, const AccountId& id, Instant at) {
  const auto found = state.accounts.find(id);
  Account account = found == state.accounts.end() ? Account{} : found->second;
  Settle(account, at, MeterOf(state.policy));
  return account;
}

bool IsFirm(const State& state, const Job& job) { return !job.spec->preemptible || !state.queues.at(job.queue).reclaimable; }

namespace {

// Of one GPU, where in its pool the request counts most.
int64_t LargestShareOf(const State& state, const Job& job) {
  const GpuRequest& gpus = job.spec->gpus;
  const auto found = state.gpu_sizes.find(job.pool);
  if (found == state.gpu_sizes.end()) {
    GpuFacts none;
    none.memory_mib = std::max<int64_t>(gpus.memory_mib, 1);
    return CountedShare(GrantOf(gpus, 0, none), none);
  }
  int64_t largest = 0;
  for (const auto& [size, count] : found->second) {
    GpuFacts facts;
    facts.memory_mib = size.memory_mib;
    facts.mig = size.mig;
    largest = std::max(largest, CountedShare(GrantOf(gpus, 0, facts), facts));
    if (gpus.isolation != Isolation::kMig) break;  // on the smallest it counts most
  }
  return largest;
}

}  // namespace

Holding AskOf(const State& state, const Job& job) {
  const GpuRequest& gpus = job.spec->gpus;
  const int64_t each = gpus.count == 0 ? 0 : LargestShareOf(state, job);
  const int64_t share = int64_t{job.spec->nodes} * gpus.count * each;
  return {share, IsFirm(state, job) ? share : 0, 1};
}

void Charge(State& state, Instant at, const Job& job, const Holding& change) {
  const Meter meter = MeterOf(state.policy);
  for (const AccountId& id : AccountsOf(job)) {
    Account& account = state.accounts[id];
    Settle(account, at, meter);
    account.held += change;
    if (id.array.value != 0 && account.held == Holding{}) state.accounts.erase(id);  // nobody asks what it used
  }
  if (change.share == 0) return;
  const PoolClass pool_class{job.pool, ClassOf(job.spec->priority)};
  std::map<JobId, int64_t>& shares = state.shares_by_class[pool_class];
  int64_t& share = shares[job.id];
  share += change.share;
  if (share == 0) shares.erase(job.id);
  if (shares.empty()) state.shares_by_class.erase(pool_class);
}

int64_t CountedShare(const GpuGrant& grant, const GpuFacts& facts) {
  const int64_t by_memory = (grant.memory_mib * kWholeShare + facts.memory_mib - 1) / facts.memory_mib;
  return std::min<int64_t>(std::max<int64_t>(grant.share, by_memory), kWholeShare);
}

int64_t CountedShare(const State& state, const Lease& lease) {
  int64_t share = 0;
  const NodeFacts& facts = *state.FindNode(lease.node)->facts;
  for (const GpuGrant& grant : lease.gpus) share += CountedShare(grant, facts.gpus[static_cast<size_t>(grant.gpu)]);
  return share;
}

Holding HoldingOf(const State& state, const Job& job) {
  if (job.leases.empty()) return {};
  Holding holding{0, 0, 1};
  for (const LeaseId lease : job.leases) {
    const Lease* held = state.FindLease(lease);
    if (held != nullptr) holding.share += CountedShare(state, *held);  // else damaged: told by the invariants
  }
  if (IsFirm(state, job)) holding.firm_share = holding.share;
  return holding;
}

Holdings CountHoldings(const State& state) {
  Holdings all;
  for (const auto& [id, job] : state.jobs) {
    if (job.leases.empty()) continue;
    const Holding holding = HoldingOf(state, job);
    for (const AccountId& account : AccountsOf(job)) all[account] += holding;
  }
  return all;
}

std::optional<QuotaStop> FindQuotaStop(const State& state, const Job& job, Instant at, const Holdings& planned) {
  const Holding ask = AskOf(state, job);
  if (auto stop = FindLimitStop(state, job, LimitCheck(&state, at, planned, ask))) return stop;
  return FindGuaranteeStop(state, job, planned, ask);
}

std::optional<QuotaStop> FindQuotaNeverMet(const State& state, const Job& job) {
  const Holding ask = AskOf(state, job);
  const Holdings none;
  return FindLimitStop(state, job, LimitCheck(nullptr, Instant{}, none, ask));
}

std::string ToText(const QuotaStop& stop) {
  const std::string who = Who(stop.account) + ": ";
  switch (stop.kind) {
    case QuotaStop::Kind::kGpus:
      return who + Gpus(stop.asked) + " GPUs asked, " + Gpus(stop.held) + " of " + Gpus(stop.limit) + " in use";
    case QuotaStop::Kind::kJobs:
      return who + std::to_string(stop.held) + " of " + std::to_string(stop.limit) +
             (stop.account.array.value != 0 ? " elements running" : " jobs running");
    case QuotaStop::Kind::kGpuHours:
      return who + std::to_string(stop.held / kHourOfGpu) + " of " + std::to_string(stop.limit / kHourOfGpu) +
             " GPU-hours of this period used";
    case QuotaStop::Kind::kGuarantees:
      return who + Gpus(stop.asked) + " GPUs asked for work that cannot be interrupted, " + Gpus(stop.held) + " held, " +
             Gpus(stop.limit) + " are not guaranteed to others (preemptible: true may borrow them)";
  }
  return who;
}

}  // namespace gp
