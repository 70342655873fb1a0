#include "simulation/run/fragmentation_levels.h"

#include <algorithm>
#include <bit>

#include "base/wide.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/placement/choose_gpus.h"

namespace gp {
namespace {

// Beyond these numbers all caches are dropped and rebuilt.
constexpr size_t kClassesMax = 20'000;
constexpr size_t kKindsKnownMax = 16'384;
constexpr int16_t kUnknown = -1;
constexpr ClassId kNoClass = ~ClassId{0};

}  // namespace

void FragmentationLevels::Follow(const State& state) {
  if (classes_.size() > kClassesMax || kinds_.size() > kKindsKnownMax) *this = {};
  FollowNodes(state);
  FollowClasses(state);
  for (auto& [name, pool] : pools_) {
    if (!pool.is_changed) continue;
    by_pool_[name] = Measure(pool);
    pool.is_changed = false;
  }
}

void FragmentationLevels::FollowNodes(const State& state) {
  const auto first = state.nodes.by_change.upper_bound({seen_, NodeId{~uint32_t{0}}});
  for (auto change = first; change != state.nodes.by_change.end(); ++change) {
    const Node& node = *state.FindNode(change->second);
    if (node.id.value >= held_.size()) {
      held_.resize(node.id.value + 1);
      class_of_.resize(node.id.value + 1, kNoClass);
    }
    MoveIntoClass(node);
    FollowLeases(state, node);
  }
  seen_ = state.nodes.changes;
}

// Full nodes belong to no class: they do not count.
void FragmentationLevels::MoveIntoClass(const Node& node) {
  ClassId& now = class_of_[node.id.value];
  if (now != kNoClass) {
    Pool& pool = pools_[classes_.Of(now).example.pool];
    pool.is_changed = true;
    if (--pool.nodes.at(now) == 0) pool.nodes.erase(now);
    now = kNoClass;
  }
  Pool& pool = pools_[node.pool];
  pool.is_changed = true;
  if (FreeGpus(node) == 0) return;
  classes_.Place(node);
  now = classes_.ClassOf(node.id);
  ++pool.nodes[now];
}

void FragmentationLevels::FollowLeases(const State& state, const Node& node) {
  std::vector<Held>& held = held_[node.id.value];
  std::erase_if(held, [&](const Held& one) {
    if (std::ranges::count(node.leases, one.lease) > 0) return false;
    Add(one.kind, -one.share);
    return true;
  });
  if (held.size() == node.leases.size()) return;
  for (const LeaseId id : node.leases) {
    if (std::ranges::count(held, id, &Held::lease) > 0) continue;
    const Lease& lease = *state.FindLease(id);
    const KindId kind = KindOf(*state.FindJob(lease.job));
    held.push_back({id, kind, CountedShare(state, lease)});
    Add(kind, held.back().share);
  }
}

// Both maps are sorted, so that one parallel walk finds what was added, removed or changed.
void FragmentationLevels::FollowClasses(const State& state) {
  auto known = job_classes_.begin();
  for (const auto& [equivalence_class, keys] : state.jobs.equivalence_classes) {
    while (known != job_classes_.end() && known->first < equivalence_class) {
      Add(known->second.kind, -known->second.share_each * known->second.jobs);
      known = job_classes_.erase(known);
    }
    if (known == job_classes_.end() || equivalence_class < known->first) {
      const Job& first = *state.FindJob(keys.begin()->job);
      known = job_classes_.emplace_hint(known, equivalence_class,
                                        Demand{KindOf(first), AskOf(state, first).share, 0});
    }
    const auto jobs = static_cast<int64_t>(keys.size());
    if (jobs != known->second.jobs)
      Add(known->second.kind, known->second.share_each * (jobs - known->second.jobs));
    known->second.jobs = jobs;
    ++known;
  }
  while (known != job_classes_.end()) {
    Add(known->second.kind, -known->second.share_each * known->second.jobs);
    known = job_classes_.erase(known);
  }
}

FragmentationLevels::KindId FragmentationLevels::KindOf(const Job& job) {
  const auto [found, is_new] = kind_of_.try_emplace(ShapeOf(job), kinds_.size());
  if (is_new) {
    kinds_.push_back({job, 0, {}});
    kinds_.back().example.attempts.clear();
  }
  return found->second;
}

void FragmentationLevels::Add(KindId id, int64_t share) {
  if (share == 0) return;
  Kind& kind = kinds_[id];
  Pool& pool = pools_[kind.example.pool];
  pool.is_changed = true;
  pool.kinds.erase({-kind.share, id});
  kind.share += share;
  if (kind.share > 0) pool.kinds.insert({-kind.share, id});
}

Fragmentation FragmentationLevels::Measure(const Pool& pool) {
  Fragmentation found{0, 0, !pool.kinds.empty()};
  for (const auto& [id, nodes] : pool.nodes)
    found.free += std::popcount(FreeGpus(classes_.Of(id).example)) * nodes;
  Wide weighted = 0;
  int64_t weights = 0;
  size_t counted = 0;
  for (const auto& [minus_share, kind] : pool.kinds) {
    if (++counted > kKindsMeasured) break;
    int64_t left = 0;
    for (const auto& [id, nodes] : pool.nodes) left += LeftOn(kinds_[kind], id) * nodes;
    weighted += Wide{-minus_share} * left;
    weights -= minus_share;
  }
  if (weights > 0) found.stranded = static_cast<int64_t>(weighted * kWholeShare / weights);
  return found;
}

int64_t FragmentationLevels::LeftOn(Kind& kind, ClassId id) {
  if (id >= kind.left.size()) kind.left.resize(classes_.size(), kUnknown);
  int16_t& left = kind.left[id];
  if (left == kUnknown)
    left = static_cast<int16_t>(LeftWhenFull(classes_.Of(id).example, kind.example));
  return left;
}

}  // namespace gp
