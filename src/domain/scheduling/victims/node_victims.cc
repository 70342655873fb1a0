#include "domain/scheduling/victims/node_victims.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include "domain/cluster/quotas/grants.h"
#include "domain/placement/place_gang.h"

namespace gp {
namespace {

// With up to this many candidates on a node all sets are compared; with more, one sufficient set is
// found.
constexpr size_t kExactCandidates = 8;

void TakeAway(const State& state, const Job& job, Node& node) {
  for (const LeaseId id : job.leases) {
    const Lease& lease = *state.FindLease(id);
    if (lease.node == node.id) ReleaseGrants(node, lease);
  }
}

// The order of eviction: the lowest priority, the highest service level, the most GPU time, the
// last submitted.
auto OrderOf(const Contender& candidate, Instant at) {
  return std::tuple(candidate.priority, -candidate.level, -AttainedGpuMs(*candidate.job, at),
                    -static_cast<int64_t>(candidate.job->id.value));
}

// A set of candidates on one node.
struct VictimSet {
  NodeEvictionCost cost;
  int order = 0;         // smaller: earlier in the order of eviction
  uint32_t members = 0;  // of OnNode::candidates
  int64_t gpus_here = 0;
};

// The lowest priority p so that candidates up to priority p hold `missing` GPUs on this node.
// REQUIRES: all candidates together hold that many.
int LeastPriorityFor(int missing, std::span<Contender> candidates) {
  std::ranges::sort(candidates, {}, &Contender::priority);
  auto last = candidates.begin();
  while ((missing -= last->gpus) > 0) ++last;
  return last->priority;
}

// The fewest GPUs on all nodes of candidates that together hold `missing` GPUs on this node;
// nullopt: all candidates together hold fewer.
std::optional<int64_t> LeastGpusFor(int missing, std::span<const Contender> candidates) {
  int64_t here = 0;
  int64_t everywhere = 0;
  for (const Contender& candidate : candidates) {
    here += candidate.gpus;
    everywhere += GpusOnAllNodes(*candidate.job);
  }
  if (here <= missing) return here == missing ? std::optional(everywhere) : std::nullopt;
  constexpr int64_t kUnreachable = INT64_MAX / 2;
  std::array<int64_t, kGpusPerNodeMax + 1> least;  // by the GPUs still missing
  std::fill_n(least.begin(), missing, kUnreachable);
  least[static_cast<size_t>(missing)] = 0;
  for (const Contender& candidate : candidates) {
    const int64_t gpus = GpusOnAllNodes(*candidate.job);
    for (int left = 1; left <= missing; ++left) {
      int64_t& after = least[static_cast<size_t>(std::max(left - candidate.gpus, 0))];
      after = std::min(after, least[static_cast<size_t>(left)] + gpus);
    }
  }
  return least[0];
}

VictimSet Joined(const VictimSet& set, const Contender& candidate, int index) {
  const EvictionCost own{candidate.priority, GpusOnAllNodes(*candidate.job), 1, candidate.priority};
  return {{set.cost.first + own, set.cost.second},
          set.order - (1 << (static_cast<int>(kExactCandidates) - index)),
          set.members | 1U << index,
          set.gpus_here + candidate.gpus};
}

// All sets of candidates on one node, by their members.
using AllSets = std::array<VictimSet, 1U << kExactCandidates>;

// Returns the sets that hold the missing GPUs.
std::vector<const VictimSet*> FillSets(const OnNode& on, int64_t missing, AllSets& sets) {
  std::vector<const VictimSet*> enough;
  sets[0] = {{{}, on.node}, 0, 0, 0};
  for (uint32_t members = 0; members < 1U << on.candidates.size(); ++members) {
    if (members != 0) {
      const int first = std::countr_zero(members);
      sets[members] =
          Joined(sets[members & (members - 1)], on.candidates[static_cast<size_t>(first)], first);
    }
    if (sets[members].gpus_here >= missing) enough.push_back(&sets[members]);
  }
  return enough;
}

NodeVictims VictimsOf(const OnNode& on, uint32_t set) {
  NodeVictims option{on.node, {}, ""};
  for (; set != 0; set &= set - 1)
    option.victims.push_back(on.candidates[static_cast<size_t>(std::countr_zero(set))].job);
  return option;
}

}  // namespace

std::optional<NodeEvictionCost> NodeVictimSearch::LeastCost(const OnNode& on) const {
  const int missing =
      job_.spec->resources.gpus.count - std::popcount(EligibleGpus(nodes_.Of(on.node), job_));
  if (missing <= 0)
    return NodeEvictionCost{{}, on.node};  // enough GPUs are free: perhaps no victims are needed
  const auto gpus = LeastGpusFor(missing, on.candidates);
  if (!gpus) return std::nullopt;
  const int priority = LeastPriorityFor(missing, on.candidates);
  return NodeEvictionCost{{priority, *gpus, 1, priority}, on.node};
}

std::optional<NodeVictims> NodeVictimSearch::FindCheapest(const OnNode& on) {
  std::ranges::sort(on.candidates, {},
                    [this](const Contender& candidate) { return OrderOf(candidate, at_); });
  if (on.candidates.size() > kExactCandidates) return FindAny(on);
  std::vector<NodeVictims> cheapest = CompareSets(on, 1);
  return cheapest.empty() ? std::nullopt : std::optional(std::move(cheapest.front()));
}

std::vector<NodeVictims> NodeVictimSearch::FindAll(const OnNode& on) {
  if (on.candidates.size() <= kExactCandidates) return CompareSets(on, SIZE_MAX);
  std::vector<NodeVictims> all;
  if (auto some = FindAny(on)) all.push_back(*std::move(some));
  return all;
}

// All sufficient sets, the cheapest first; of equal ones, by the order of eviction. No set contains
// another one.
std::vector<NodeVictims> NodeVictimSearch::CompareSets(const OnNode& on, size_t options_max) {
  const int64_t missing =
      job_.spec->resources.gpus.count - std::popcount(EligibleGpus(nodes_.Of(on.node), job_));
  AllSets sets;
  std::vector<const VictimSet*> enough = FillSets(on, missing, sets);
  const auto costs_more = [](const VictimSet* a, const VictimSet* b) {
    return std::tie(a->cost, a->order) > std::tie(b->cost, b->order);
  };
  std::ranges::make_heap(enough, costs_more);
  std::vector<NodeVictims> options;
  std::vector<uint32_t> accepted;
  for (; !enough.empty() && options.size() < options_max; enough.pop_back()) {
    std::ranges::pop_heap(enough, costs_more);
    const uint32_t set = enough.back()->members;
    if (std::ranges::any_of(accepted, [set](uint32_t smaller) { return (smaller & ~set) == 0; }))
      continue;
    NodeVictims option = VictimsOf(on, set);
    if (!may_evict_(option.victims) || !FitsAfterEviction(option)) continue;
    options.push_back(std::move(option));
    accepted.push_back(set);
  }
  return options;
}

// Adds candidates in order until the job fits, then removes those that are not needed.
std::optional<NodeVictims> NodeVictimSearch::FindAny(const OnNode& on) {
  NodeVictims option{on.node, {}, ""};
  bool fits = FitsAfterEviction(option);
  for (auto next = on.candidates.begin(); !fits && next != on.candidates.end(); ++next) {
    option.victims.push_back(next->job);
    if (may_evict_(option.victims)) {
      fits = FitsAfterEviction(option);
    } else {
      option.victims.pop_back();
    }
  }
  if (!fits) return std::nullopt;
  for (size_t i = option.victims.size(); i-- > 0;) {
    std::vector<const Job*> others = option.victims;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    if (TraitWithout(others, on.node)) option.victims = std::move(others);
  }
  return option;
}

bool NodeVictimSearch::FitsAfterEviction(NodeVictims& option) {
  auto trait = TraitWithout(option.victims, option.node);
  if (trait) option.trait = *std::move(trait);
  return trait.has_value();
}

std::optional<std::string> NodeVictimSearch::TraitWithout(const std::vector<const Job*>& victims,
                                                          NodeId id) {
  scratch_ = nodes_.Of(id);
  for (const Job* job : victims) TakeAway(state_, *job, scratch_);
  const auto choice = ChooseGpus(scratch_, job_, WeightsOf(state_.policy.placement, job_.pool));
  if (!choice) return std::nullopt;
  return CommonTrait(*job_.spec, scratch_, *choice);
}

}  // namespace gp
