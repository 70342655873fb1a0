#include "tests/property/fair_share/busy_cluster.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "domain/cluster/quotas/quota.h"
#include "simulation/engine/plain_node.h"

namespace gp {

BusyCluster::BusyCluster(uint64_t seed) : rng_(seed) {
  engine_.AdvanceTo(Instant{1'700'000'000'000'000'000});
  for (int i = 0; i < kNodes; ++i) engine_.AddNode(PlainNode(i, kGpusPerNode));
}

void BusyCluster::SetQueue(const std::string& name, int weight, int64_t guaranteed) {
  gp::SetQueue set;
  set.name = name;
  set.weight = weight;
  set.guaranteed = guaranteed;
  ASSERT_TRUE(engine_.Execute(set).has_value()) << name;
}

JobId BusyCluster::Submit(const Demand& demand) {
  auto spec = std::make_shared<JobSpec>();
  spec->program.command = {"train"};
  spec->policy.queue = demand.queue;
  spec->policy.preemptible = demand.preemptible;
  spec->policy.priority = demand.priority;
  spec->resources.gpus.count = 1 << rng_.Between(0, 3);
  spec->resources.cpus = 1;
  spec->resources.memory_bytes = int64_t{1} << 30;
  const JobId job = engine_.Submit(spec, {demand.user, 1000, 1000}).value();
  lengths_[job] = Duration::Minutes(rng_.Between(kMinutesMin, kMinutesMax));
  return job;
}

void BusyCluster::RunUntil(Instant end) {
  while (true) {
    Refill();
    Pass();
    const Instant next = NextInstant();
    if (next > end) break;
    engine_.AdvanceTo(next);
    while (!ends_.empty() && ends_.begin()->first <= next) {
      const JobId job = ends_.begin()->second;
      ends_.erase(ends_.begin());
      engine_.Finish(job);
    }
  }
  engine_.AdvanceTo(end);
}

double BusyCluster::ShareOf(const std::string& queue,
                            const std::vector<std::string>& siblings) const {
  double all = 0;
  for (const std::string& one : siblings) all += static_cast<double>(UseOf(one));
  return static_cast<double>(UseOf(queue)) / all;
}

int64_t BusyCluster::HeldBy(const std::string& queue) const {
  return HeldNow(engine_.state(), {queue, ""}).share / 1000;
}

int64_t BusyCluster::UseOf(const std::string& queue) const {
  return AccountAt(engine_.state(), {queue, ""}, engine_.now()).faded_use;
}

void BusyCluster::Refill() {
  std::map<std::tuple<std::string, std::string, int>, int> waiting;
  for (const JobId id : engine_.state().jobs.queued) {
    const Job& job = *engine_.state().FindJob(id);
    ++waiting[{job.queue, job.user.name, job.spec->policy.priority}];
  }
  for (const Demand& demand : demands_) {
    for (int i = waiting[{demand.queue, demand.user, demand.priority}]; i < 4; ++i) Submit(demand);
  }
}

void BusyCluster::Pass() {
  const Plan plan = engine_.Pass();
  look_again_at_ = plan.look_again_at;
  for (const Plan::Step& step : plan.steps) {
    if (const auto* placed = std::get_if<PlaceGang>(&step)) {
      engine_.Start(placed->job);
      ends_.insert({engine_.now() + lengths_.at(placed->job), placed->job});
    } else {
      const JobId job = std::get<PreemptJob>(step).job;
      std::erase_if(ends_, [job](const auto& end) { return end.second == job; });
      engine_.Stop(job);
    }
  }
  if (!plan.steps.empty()) Pass();
}

Instant BusyCluster::NextInstant() const {
  Instant next{INT64_MAX};
  if (!ends_.empty()) next = ends_.begin()->first;
  if (look_again_at_.ns != 0) next = std::min(next, look_again_at_);
  return next;
}

}  // namespace gp
