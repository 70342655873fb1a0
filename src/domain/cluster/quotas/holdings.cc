#include "domain/cluster/quotas/holdings.h"

#include <algorithm>

#include "domain/cluster/quotas/grants.h"
#include "domain/cluster/quotas/host_need.h"

namespace gp {

AccountId AccountOf(JobId array) { return {"", "", array}; }

std::vector<AccountId> AccountsOf(const Job& job) {
  std::vector<AccountId> accounts;
  for (std::string& path : PathsTo(job.queue)) {
    accounts.push_back({path, ""});
    accounts.push_back({std::move(path), job.user.name});
  }
  if (const JobId array = LimitingArray(job); array.value != 0)
    accounts.push_back(AccountOf(array));
  return accounts;
}

Quota LimitOf(const Job& element) {
  Quota limit;
  limit.jobs = element.spec->policy.array.max_parallel;
  return limit;
}

Meter MeterOf(const Policy& policy) { return {policy.share_half_life, policy.usage_period}; }

Holding HeldNow(const State& state, const AccountId& id) {
  const auto found = state.queues.accounts.find(id);
  return found == state.queues.accounts.end() ? Holding{} : found->second.held;
}

Account AccountAt(const State& state, const AccountId& id, Instant at) {
  const auto found = state.queues.accounts.find(id);
  Account account = found == state.queues.accounts.end() ? Account{} : found->second;
  Settle(account, at, MeterOf(state.policy));
  return account;
}

bool IsFirm(const State& state, const Job& job) {
  return !job.spec->policy.preemptible || !state.queues.all.at(job.queue).reclaimable;
}

namespace {

// The largest share that the request counts for on any GPU of the pool.
int64_t LargestShareOf(const State& state, const Job& job) {
  const GpuRequest& gpus = job.spec->resources.gpus;
  const auto found = state.nodes.gpu_sizes.find(job.pool);
  if (found == state.nodes.gpu_sizes.end()) {
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
    if (gpus.isolation != Isolation::kMig) break;  // it counts most on the smallest GPU
  }
  return largest;
}

// The most cores and memory that a rank of the job gets on any node of the pool.
HostNeed LargestNeedOf(const State& state, const Job& job) {
  static const NodeFacts kNoGpus;
  const JobResources& asked = job.spec->resources;
  HostNeed largest = NeedOf(*job.spec, kNoGpus);
  if (asked.gpus.count == 0 || (asked.cpus != 0 && asked.memory_bytes != 0)) return largest;
  const auto hosts = state.nodes.host_sizes.find(job.pool);
  if (hosts == state.nodes.host_sizes.end()) return largest;
  for (const auto& [size, nodes] : hosts->second) {
    const HostNeed need = NeedOf(*job.spec, *state.FindNode(*nodes.begin())->facts);
    largest.cpus = std::max(largest.cpus, need.cpus);
    largest.memory_mib = std::max(largest.memory_mib, need.memory_mib);
  }
  return largest;
}

}  // namespace

Holding AskOf(const State& state, const Job& job) {
  const GpuRequest& gpus = job.spec->resources.gpus;
  const int64_t each = gpus.count == 0 ? 0 : LargestShareOf(state, job);
  const int64_t nodes = job.spec->resources.nodes;
  const int64_t share = nodes * gpus.count * each;
  const HostNeed host = LargestNeedOf(state, job);
  return {share, IsFirm(state, job) ? share : 0, 1, nodes * host.cpus, nodes * host.memory_mib};
}

void Charge(State& state, Instant at, const Job& job, const Holding& change) {
  const Meter meter = MeterOf(state.policy);
  for (const AccountId& id : AccountsOf(job)) {
    Account& account = state.queues.accounts[id];
    Settle(account, at, meter);
    account.held += change;
    // The past use of an array is not needed
    if (id.array.value != 0 && account.held == Holding{}) state.queues.accounts.erase(id);
  }
  if (change.share == 0) return;
  const PoolClass pool_class = PoolClassOf(job);
  std::map<JobId, int64_t>& shares = state.leases.shares_by_class[pool_class];
  int64_t& share = shares[job.id];
  share += change.share;
  if (share == 0) shares.erase(job.id);
  if (shares.empty()) state.leases.shares_by_class.erase(pool_class);
}

int64_t CountedShare(const GpuGrant& grant, const GpuFacts& facts) {
  const int64_t by_memory =
      (grant.memory_mib * kWholeShare + facts.memory_mib - 1) / facts.memory_mib;
  return std::min<int64_t>(std::max<int64_t>(grant.share, by_memory), kWholeShare);
}

int64_t CountedShare(const State& state, const Lease& lease) {
  int64_t share = 0;
  const NodeFacts& facts = *state.FindNode(lease.node)->facts;
  for (const GpuGrant& grant : lease.gpus)
    share += CountedShare(grant, facts.gpus[static_cast<size_t>(grant.gpu)]);
  return share;
}

Holding HoldingOf(const State& state, const Job& job) {
  if (job.leases.empty()) return {};
  Holding holding;
  holding.jobs = 1;
  for (const LeaseId lease : job.leases) {
    const Lease* held = state.FindLease(lease);
    if (held == nullptr) continue;  // the state is damaged, and the invariants report it
    holding.share += CountedShare(state, *held);
    for (const NumaGrant& grant : held->numa) {
      holding.cpus += grant.cpus.Count();
      holding.memory_mib += grant.memory_mib;
    }
  }
  if (IsFirm(state, job)) holding.firm_share = holding.share;
  return holding;
}

Holdings CountHoldings(const State& state) {
  Holdings all;
  for (const auto& [id, job] : state.jobs.all) {
    if (job.leases.empty()) continue;
    const Holding holding = HoldingOf(state, job);
    for (const AccountId& account : AccountsOf(job)) all[account] += holding;
  }
  return all;
}

void CountHoldingsAgain(State& state) {
  const Holdings holdings = CountHoldings(state);
  for (auto& [id, account] : state.queues.accounts) {
    const auto held = holdings.find(id);
    account.held = held == holdings.end() ? Holding{} : held->second;
  }
}

int64_t HeldOrPlanned(const State& state, const Holdings& planned, const AccountId& id,
                      int64_t Holding::* what) {
  const auto found = planned.find(id);
  return HeldNow(state, id).*what + (found == planned.end() ? 0 : found->second.*what);
}

}  // namespace gp
