#include "domain/defragmenting/fragmentation.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/wide.h"
#include "domain/cluster/quotas/grants.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/placement/choose_gpus.h"

namespace gp {

int64_t LeftWhenFull(Node node, const Job& job) {
  while (const auto choice = ChooseGpus(node, job, {})) {
    Lease lease;
    lease.mode = ModeFor(job.spec->resources.gpus);
    lease.gpus = choice->placement.gpus;
    lease.numa = choice->placement.numa;
    HoldGrants(node, lease, job.user.name);
  }
  return std::popcount(FreeGpus(node));
}

template <typename F>
int64_t FragmentationMeter::SumOver(const std::string& pool, const F& count) const {
  int64_t sum = 0;
  for (ClassId id = 0; id < classes_.size(); ++id) {
    const NodeClasses::Class& one = classes_.Of(id);
    const Node& node = one.example;
    if (node.pool != pool || one.members.empty() || FreeGpus(node) == 0) continue;
    sum += count(node) * static_cast<int64_t>(one.members.size());
  }
  return sum;
}

FragmentationMeter::FragmentationMeter(const State& state, const NodeClasses& classes)
    : state_(state), classes_(classes) {
  const auto count = [this](const Job& job, const JobShape& shape, int64_t share) {
    if (share == 0) return;
    const auto add = [&](Kinds& kinds) {
      Kind& kind = kinds[shape];
      kind.example = &job;
      kind.share += share;
    };
    add(by_pool_[job.pool]);
    for (const std::string& path : PathsTo(job.queue)) add(by_queue_[path]);
  };
  for (const auto& [equivalence_class, keys] : state.jobs.equivalence_classes) {
    const Job& first = *state.FindJob(keys.begin()->job);
    count(first, equivalence_class.shape,
          AskOf(state, first).share * static_cast<int64_t>(keys.size()));
  }
  for (const auto& [pool_class, shares] : state.leases.shares_by_class) {
    for (const auto& [id, share] : shares)
      count(*state.FindJob(id), ShapeOf(*state.FindJob(id)), share);
  }
}

Fragmentation FragmentationMeter::OfPool(const std::string& pool) {
  return Measure(pool, by_pool_[pool]);
}

Fragmentation FragmentationMeter::OfQueue(const std::string& queue) {
  return Measure(state_.queues.all.at(queue).pool, by_queue_[queue]);
}

Fragmentation FragmentationMeter::Measure(const std::string& pool, const Kinds& kinds) {
  Fragmentation found{FreeIn(pool), 0, !kinds.empty()};
  std::vector<std::pair<const JobShape*, const Kind*>> most;
  for (const auto& [shape, kind] : kinds) most.emplace_back(&shape, &kind);
  std::ranges::stable_sort(most, std::greater{}, [](const auto& one) { return one.second->share; });
  most.resize(std::min(most.size(), kKindsMeasured));
  Wide weighted = 0;
  int64_t weights = 0;
  for (const auto& [shape, kind] : most) {
    weighted += Wide{kind->share} * LeftBy(pool, *shape, *kind->example);
    weights += kind->share;
  }
  if (weights > 0) found.stranded = static_cast<int64_t>(weighted * kWholeShare / weights);
  return found;
}

int64_t FragmentationMeter::LeftBy(const std::string& pool, const JobShape& shape,
                                   const Job& example) {
  const auto [left, is_new] = left_.try_emplace(shape);
  if (is_new)
    left->second = SumOver(pool, [&](const Node& node) { return LeftWhenFull(node, example); });
  return left->second;
}

int64_t FragmentationMeter::FreeIn(const std::string& pool) const {
  return SumOver(pool, [](const Node& node) -> int64_t { return std::popcount(FreeGpus(node)); });
}

}  // namespace gp
