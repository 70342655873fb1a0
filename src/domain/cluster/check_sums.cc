#include "domain/cluster/invariant_parts.h"

#include <map>
#include <string>

#include "domain/cluster/preemption.h"
#include "domain/cluster/quota.h"

namespace gp {
namespace {

void CheckShares(const State& state, Violations& found) {
  std::map<PoolClass, std::map<JobId, int64_t>> sums;
  for (const auto& [id, lease] : state.leases) {
    const Job& job = *state.FindJob(lease.job);
    const int64_t share = CountedShare(state, lease);
    if (share != 0) sums[{job.pool, ClassOf(job.spec->priority)}][job.id] += share;
  }
  if (sums != state.shares_by_class) found.push_back({"I8", "shares by class are off"});
}

void CheckAccounts(const State& state, Violations& found) {
  Holdings held = CountHoldings(state);
  for (const auto& [id, account] : state.accounts) {
    if (!state.queues.contains(id.queue)) found.push_back({"I8", "an account of no queue: " + id.queue});
    if (account.held != held[id]) found.push_back({"I8", "account " + id.queue + "/" + id.user + " is off"});
    if (account.faded_use < 0 || account.period_use < 0) found.push_back({"I8", "account " + id.queue + "/" + id.user + " has used less than nothing"});
    held.erase(id);
  }
  if (!held.empty()) found.push_back({"I8", "an account is missing: " + held.begin()->first.queue});
}

void CheckCapacity(const State& state, Violations& found) {
  std::map<std::string, int64_t> sums;
  std::map<std::string, std::map<int64_t, int64_t>> sizes;
  for (const Node& node : state.nodes) {
    sums[node.pool] += static_cast<int64_t>(node.gpus.size());
    for (const GpuFacts& gpu : node.facts->gpus) ++sizes[node.pool][gpu.memory_mib];
  }
  if (sizes != state.gpu_sizes) found.push_back({"I8", "sizes of GPUs are off"});
  std::erase_if(sums, [](const auto& sum) { return sum.second == 0; });
  if (sums != state.capacity) found.push_back({"I8", "capacities are off"});
}

}  // namespace

void CheckSums(const State& state, Violations& found) {
  CheckShares(state, found);
  CheckAccounts(state, found);
  CheckCapacity(state, found);
}

}  // namespace gp
