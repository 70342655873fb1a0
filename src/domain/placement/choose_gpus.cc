#include "domain/placement/choose_gpus.h"

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

#include "domain/cluster/quotas/grants.h"
#include "domain/model/nodes/gpu_model.h"
#include "domain/placement/host_share.h"
#include "domain/placement/network.h"
#include "domain/placement/out_of_service.h"

namespace gp {
namespace {

bool ModelFits(const GpuRequest& request, const GpuFacts& facts) {
  if (facts.memory_mib < request.memory_mib_min) return false;
  if (request.models.empty()) return true;
  return std::ranges::any_of(
      request.models, [&](const std::string& model) { return NamesModel(model, facts.model); });
}

// Calls visit for every subset of `from` with `count` members.
template <typename F>
void ForEachSubset(GpuMask from, int count, F visit) {
  std::vector<int> members;
  for (GpuMask rest = from; rest != 0; rest &= rest - 1) members.push_back(std::countr_zero(rest));
  const int n = static_cast<int>(members.size());
  if (count > n) return;
  std::vector<int> pick(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) pick[static_cast<size_t>(i)] = i;
  while (true) {
    GpuMask set = 0;
    for (const int i : pick) set |= GpuMask{1} << members[static_cast<size_t>(i)];
    visit(set);
    int at = count - 1;
    while (at >= 0 && pick[static_cast<size_t>(at)] == n - count + at) --at;
    if (at < 0) return;
    ++pick[static_cast<size_t>(at)];
    for (int i = at + 1; i < count; ++i)
      pick[static_cast<size_t>(i)] = pick[static_cast<size_t>(i - 1)] + 1;
  }
}

// For large nodes: the lowest GPUs of each NUMA node in turn, then those of the following NUMA
// nodes.
template <typename F>
void ForEachRun(const Node& node, GpuMask from, int count, F visit) {
  const int numas = static_cast<int>(node.facts->numa.size());
  for (int first = 0; first < numas; ++first) {
    GpuMask set = 0;
    for (int step = 0; step < numas; ++step) {
      for (GpuMask rest = from; rest != 0 && std::popcount(set) < count; rest &= rest - 1) {
        const int gpu = std::countr_zero(rest);
        if (node.facts->gpus[static_cast<size_t>(gpu)].numa == (first + step) % numas)
          set |= GpuMask{1} << gpu;
      }
    }
    if (std::popcount(set) == count) visit(set);
  }
}

int FewestLinks(const NodeFacts& facts, GpuMask gpus) {
  int fewest = -1;
  for (GpuMask a = gpus; a != 0; a &= a - 1) {
    for (GpuMask b = a & (a - 1); b != 0; b &= b - 1) {
      const int links = facts.LinkCount(std::countr_zero(a), std::countr_zero(b));
      if (fewest < 0 || links < fewest) fewest = links;
    }
  }
  return std::max(fewest, 0);
}

NodeChoice Describe(const Node& node, const JobSpec& spec, const GpuScorer& scorer, GpuMask gpus,
                    std::vector<NumaGrant> host, int alternatives) {
  NodeChoice choice;
  choice.placement.node = node.id;
  for (GpuMask rest = gpus; rest != 0; rest &= rest - 1) {
    const int gpu = std::countr_zero(rest);
    const auto at = static_cast<size_t>(gpu);
    choice.placement.gpus.push_back(
        PlacedGrantOf(spec.resources.gpus, gpu, node.facts->gpus[at], node.gpus[at]));
  }
  choice.placement.numa = std::move(host);
  choice.score = scorer.Score(gpus);
  choice.locality = scorer.LocalityOf(gpus);
  choice.unlinked_pairs = scorer.UnlinkedPairs(gpus);
  choice.links = FewestLinks(*node.facts, gpus);
  choice.alternatives = alternatives;
  return choice;
}

}  // namespace

GpuMask EligibleGpus(const Node& node, const Job& job) {
  const JobSpec& spec = *job.spec;
  GpuMask eligible = 0;
  for (size_t i = 0; i < node.gpus.size(); ++i) {
    const GpuFacts& facts = node.facts->gpus[i];
    // Most GPUs are in use: skip them before the costly check with a reason.
    if (!IsGrantable(node.gpus[i], spec.resources.gpus.count) ||
        node.gpus[i].mode == GpuMode::kWhole)
      continue;
    if (!ModelFits(spec.resources.gpus, facts)) continue;
    const GpuGrant grant =
        PlacedGrantOf(spec.resources.gpus, static_cast<int>(i), facts, node.gpus[i]);
    if (CheckGpuGrant(node.gpus[i], facts, ModeFor(spec.resources.gpus), job.user.name, grant))
      eligible |= GpuMask{1} << i;
  }
  return eligible;
}

GpuMask FreeGpus(const Node& node) {
  GpuMask free = 0;
  if (node.condition != NodeCondition::kUp || node.draining) return free;
  for (size_t i = 0; i < node.gpus.size(); ++i) {
    if (IsGrantable(node.gpus[i]) && node.gpus[i].leases.empty() && node.facts->gpus[i].mig.empty())
      free |= GpuMask{1} << i;
  }
  return free;
}

Node Emptied(const Node& node) {
  Node empty;
  empty.id = node.id;
  empty.facts = node.facts;
  empty.pool = node.pool;
  empty.labels = node.labels;
  empty.reservations = node.reservations;
  empty.gpus.resize(node.gpus.size());
  for (size_t i = 0; i < node.gpus.size(); ++i) {
    empty.gpus[i].condition = node.gpus[i].condition;
    empty.gpus[i].draining = node.gpus[i].draining;
  }
  empty.numa.resize(node.numa.size());
  return empty;
}

Node Ideal(const Node& node) { return Repaired(Emptied(node)); }

namespace {

bool IsOpen(const Node& node, const Job& job) {
  if (node.condition != NodeCondition::kUp || node.draining || !MayUse(job, node)) return false;
  const int levels =
      job.spec->resources.nodes == 1 ? 0 : job.spec->placement.topology.network_levels;
  return levels == 0 || CountLevels(NetworkOf(node)) >= levels;
}

}  // namespace

std::optional<NodeChoice> ChooseExactly(const Node& node, const Job& job, GpuMask gpus) {
  if (!IsOpen(node, job)) return std::nullopt;
  if (std::popcount(gpus) != job.spec->resources.gpus.count ||
      (gpus & ~EligibleGpus(node, job)) != 0)
    return std::nullopt;
  const GpuScorer scorer(node, *job.spec, FreeGpus(node), {});
  if (!scorer.Allowed(gpus)) return std::nullopt;
  auto host = ShareHost(node, *job.spec, gpus);
  if (!host) return std::nullopt;
  return Describe(node, *job.spec, scorer, gpus, *std::move(host), 1);
}

std::optional<NodeChoice> ChooseGpus(const Node& node, const Job& job,
                                     const PlacementWeights& weights) {
  if (!IsOpen(node, job)) return std::nullopt;
  const JobSpec& spec = *job.spec;
  const GpuMask eligible = EligibleGpus(node, job);
  const int count = spec.resources.gpus.count;
  if (std::popcount(eligible) < count) return std::nullopt;
  const GpuScorer scorer(node, spec, FreeGpus(node), weights);
  std::vector<GpuScore> scores;
  const auto consider = [&](GpuMask gpus) {
    if (scorer.Allowed(gpus)) scores.push_back(scorer.Score(gpus));
  };
  if (std::popcount(eligible) <= kExactGpus) {
    ForEachSubset(eligible, count, consider);
  } else {
    ForEachRun(node, eligible, count, consider);
  }
  if (scores.empty()) return std::nullopt;
  const auto describe = [&](GpuMask gpus, std::vector<NumaGrant> host) {
    return Describe(node, spec, scorer, gpus, std::move(host), static_cast<int>(scores.size()));
  };
  const GpuMask best = std::ranges::min(scores).gpus;
  if (auto host = ShareHost(node, spec, best)) return describe(best, *std::move(host));
  // The NUMA nodes of the best set lack cores or memory: tries the next best set on other NUMA
  // nodes.
  std::ranges::sort(scores);
  std::set<std::vector<int>> without_room;
  for (const GpuScore& score : scores) {
    if (!without_room.insert(GpusByNuma(*node.facts, score.gpus)).second) continue;
    if (auto host = ShareHost(node, spec, score.gpus))
      return describe(score.gpus, *std::move(host));
  }
  return std::nullopt;
}

bool Fits(const Node& node, const Job& job) { return ChooseGpus(node, job, {}).has_value(); }

}  // namespace gp
