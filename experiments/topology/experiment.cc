#include "experiments/topology/experiment.h"

#include <algorithm>
#include <list>
#include <set>

#include "base/assert.h"
#include "domain/cluster/quotas/grants.h"
#include "domain/model/jobs/job_shape.h"
#include "domain/placement/choose_gpus.h"
#include "experiments/topology/tally.h"

namespace gp {
namespace {

std::vector<Node> EmptyNodes(const TopologyMachine& machine, int count) {
  std::vector<Node> nodes;
  for (int i = 0; i < count; ++i) {
    Node node;
    node.id = {static_cast<uint32_t>(i)};
    node.facts = machine.facts;
    node.gpus.resize(machine.facts->gpus.size());
    node.numa.resize(machine.facts->numa.size());
    nodes.push_back(Ideal(node));
  }
  return nodes;
}

// Other schedulers are not part of the domain, so their placements are checked here as Decide
// would.
bool IsFree(const Node& node, const RankPlacement& rank) {
  for (const GpuGrant& grant : rank.gpus) {
    if (!node.gpus[static_cast<size_t>(grant.gpu)].leases.empty()) return false;
  }
  return std::ranges::all_of(rank.numa, [&node](const NumaGrant& grant) {
    const auto at = static_cast<size_t>(grant.numa);
    return grant.cpus.Minus(node.facts->numa[at].cpus.Minus(node.numa[at].cpus_granted)).Empty();
  });
}

class Run {
 public:
  Run(const TopologyMachine& machine, const BandwidthTable& bandwidth,
      const NamedTopologyPolicy& policy, const TopologyDemand& demand)
      : bandwidth_(bandwidth),
        workload_(InventJobs(*machine.facts, demand)),
        nodes_(EmptyNodes(machine, demand.nodes)),
        places_(workload_.jobs.size()),
        policy_(policy.make(nodes_, demand.seed)) {
    for (const Node& node : nodes_) policy_->See(node);
    gpu_seconds_ =
        workload_.span_s * demand.nodes * static_cast<int64_t>(machine.facts->gpus.size());
  }

  TopologyResult Play(const DoneWatch& watch) {
    size_t next = 0;
    const std::vector<TopologyJob>& jobs = workload_.jobs;
    while (next < jobs.size() || !running_.empty()) {
      const int64_t end_s = running_.empty() ? INT64_MAX : running_.begin()->first;
      now_s_ = next < jobs.size() ? std::min(jobs[next].submit_s, end_s) : end_s;
      while (!running_.empty() && running_.begin()->first == now_s_) End();
      for (; next < jobs.size() && jobs[next].submit_s == now_s_; ++next) waiting_.push_back(next);
      Pass();
      if (watch) watch(static_cast<double>(next) / static_cast<double>(jobs.size()));
    }
    GP_ASSERT(waiting_.empty(), "every job of the experiment fits an empty cluster");
    TopologyResult result = tally_.Result();
    result.used_pct =
        100.0 * static_cast<double>(gpu_seconds_used_) / static_cast<double>(gpu_seconds_);
    return result;
  }

 private:
  void Pass() {
    // If a job does not fit now, others of its shape do not either.
    std::set<JobShape> blocked;
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      Job job;
      job.id = {*at + 1};
      job.spec = workload_.jobs[*at].spec;
      if (blocked.contains(ShapeOf(job))) {
        ++at;
      } else if (auto ranks = policy_->Place(job)) {
        Start(*at, *std::move(ranks));
        at = waiting_.erase(at);
      } else {
        blocked.insert(ShapeOf(job));
        ++at;
      }
    }
  }

  void Start(size_t index, std::vector<RankPlacement> ranks) {
    const TopologyJob& job = workload_.jobs[index];
    const int64_t end_s = now_s_ + job.duration_s;
    const bool counts = index >= workload_.jobs.size() / 10;
    if (counts) tally_.AddJob(now_s_ - job.submit_s);
    gpu_seconds_used_ +=
        std::max<int64_t>(0, std::min(end_s, workload_.span_s) - now_s_) * job.gpus();
    for (RankPlacement& rank : ranks) {
      Node& node = nodes_[rank.node.value];
      GP_ASSERT(IsFree(node, rank), "a policy places on what is free");
      if (counts) tally_.Add(QualityOf(*node.facts, bandwidth_, rank));
      Lease lease;
      lease.id = {++last_lease_};
      lease.node = rank.node;
      lease.mode = GpuMode::kWhole;
      lease.gpus = std::move(rank.gpus);
      lease.numa = std::move(rank.numa);
      HoldGrants(node, lease, "");
      policy_->See(node);
      places_[index].push_back(std::move(lease));
    }
    running_.emplace(end_s, index);
  }

  void End() {
    const size_t index = running_.begin()->second;
    running_.erase(running_.begin());
    for (const Lease& lease : places_[index]) {
      Node& node = nodes_[lease.node.value];
      ReleaseGrants(node, lease);
      policy_->See(node);
    }
    places_[index].clear();
  }

  const BandwidthTable& bandwidth_;
  const TopologyWorkload workload_;
  std::vector<Node> nodes_;
  std::vector<std::vector<Lease>> places_;  // by job, while it runs
  std::unique_ptr<TopologyPolicy> policy_;
  std::list<size_t> waiting_;
  std::set<std::pair<int64_t, size_t>> running_;  // by end
  TopologyTally tally_;
  int64_t now_s_ = 0;
  uint64_t last_lease_ = 0;
  int64_t gpu_seconds_ = 0;
  int64_t gpu_seconds_used_ = 0;
};

}  // namespace

TopologyResult RunTopology(const TopologyMachine& machine, const BandwidthTable& bandwidth,
                           const NamedTopologyPolicy& policy, const TopologyDemand& demand,
                           const DoneWatch& watch) {
  return Run(machine, bandwidth, policy, demand).Play(watch);
}

}  // namespace gp
