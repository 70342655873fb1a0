#include "domain/cluster/check/invariant_parts.h"

#include <map>
#include <set>
#include <string>

#include "domain/cluster/arrays.h"
#include "domain/cluster/preemption.h"
#include "domain/cluster/quotas/quota.h"

namespace gp {
namespace {

void CheckShares(const State& state, Violations& found) {
  std::map<PoolClass, std::map<JobId, int64_t>> sums;
  for (const auto& [id, lease] : state.leases.all) {
    const Job& job = *state.FindJob(lease.job);
    const int64_t share = CountedShare(state, lease);
    if (share != 0) sums[{job.pool, ClassOf(job.spec->policy.priority)}][job.id] += share;
  }
  if (sums != state.leases.shares_by_class) found.push_back({"I8", "shares by class are off"});
}

void CheckAccounts(const State& state, Violations& found) {
  Holdings held = CountHoldings(state);
  for (const auto& [id, account] : state.queues.accounts) {
    if (id.array.value != 0 ? !state.jobs.arrays.contains(id.array)
                            : !state.queues.all.contains(id.queue))
      found.push_back({"I8", "an account of no queue and no array: " + id.queue});
    if (account.held != held[id])
      found.push_back({"I8", "account " + id.queue + "/" + id.user + " is off"});
    if (account.faded_use < 0 || account.period_use < 0)
      found.push_back(
          {"I8", "account " + id.queue + "/" + id.user + " has used less than nothing"});
    held.erase(id);
  }
  if (!held.empty()) found.push_back({"I8", "an account is missing: " + held.begin()->first.queue});
}

void CheckCapacity(const State& state, Violations& found) {
  std::map<std::string, int64_t> sums;
  std::map<std::string, std::map<GpuSize, int64_t>> sizes;
  std::map<std::string, std::map<HostSize, std::set<NodeId>>> hosts;
  for (const Node& node : state.nodes.all) {
    sums[node.pool] += node.facts->CountGpus();
    if (node.facts->CountGpus() > 0) hosts[node.pool][HostSizeOf(*node.facts)].insert(node.id);
    for (const GpuFacts& gpu : node.facts->gpus) {
      if (gpu.presence != GpuPresence::kRetired) ++sizes[node.pool][{gpu.memory_mib, gpu.mig}];
    }
  }
  if (hosts != state.nodes.host_sizes) found.push_back({"I8", "sizes of hosts are off"});
  if (sizes != state.nodes.gpu_sizes) found.push_back({"I8", "sizes of GPUs are off"});
  std::erase_if(sums, [](const auto& sum) { return sum.second == 0; });
  if (sums != state.nodes.capacity) found.push_back({"I8", "capacities are off"});
}

void CheckWaits(const State& state, Violations& found) {
  QueueStore again;
  again.all = state.queues.all;
  again.IndexWaitTargets();
  if (again.wait_targets != state.queues.wait_targets)
    found.push_back({"I8", "targets of queues are off"});
  for (const auto& [queue, record] : state.queues.waits) {
    if (!state.queues.wait_targets.contains(queue))
      found.push_back({"I8", "starts are counted for queue " + queue + ", which has no target"});
    WaitCount kept;
    for (const auto& [hour, count] : record.hours) kept += count;
    if (kept.started > record.total.started || kept.in_target > record.total.in_target ||
        kept.in_target > kept.started || record.hours.size() > size_t{kWaitHoursKept})
      found.push_back({"I8", "counts of starts of queue " + queue + " are off"});
  }
}

// The known elements are part of an array's counts; forgotten elements had ended.
void CheckArrays(const State& state, Violations& found) {
  for (const auto& [id, array] : state.jobs.arrays) {
    Array known;
    for (const JobId element : ElementsOf(state, id)) {
      const Job& job = *state.FindJob(element);
      ++known.known;
      known.started += HasStarted(job) ? 1 : 0;
      known.completed += job.state == JobState::kCompleted ? 1 : 0;
      known.failed += HasFailed(job) ? 1 : 0;
      known.ended += IsTerminal(job.state) ? 1 : 0;
      known.unstarted += IsTerminal(job.state) && !HasStarted(job) ? 1 : 0;
    }
    const int forgotten = array.count - array.known;
    const auto is_off = [forgotten](int counted, int seen) {
      return counted < seen || counted > seen + forgotten;
    };
    if (known.known == 0 || array.known != known.known || array.ended != known.ended + forgotten ||
        is_off(array.started, known.started) || is_off(array.completed, known.completed) ||
        is_off(array.failed, known.failed) || is_off(array.unstarted, known.unstarted)) {
      found.push_back({"I8", "counts of array " + ToText(id) + " are off"});
    }
  }
}

}  // namespace

void CheckSums(const State& state, Violations& found) {
  CheckShares(state, found);
  CheckAccounts(state, found);
  CheckCapacity(state, found);
  CheckArrays(state, found);
  CheckWaits(state, found);
}

}  // namespace gp
