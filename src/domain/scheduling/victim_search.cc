#include "domain/scheduling/victim_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

#include "domain/cluster/grants.h"
#include "domain/placement/place_gang.h"
#include "domain/scheduling/combine_node_victims.h"

namespace gp {
namespace {

// With up to this many candidates on a node all sets are compared; with more, one sufficient set is
// found.
constexpr size_t kExactCandidates = 8;
// Number of nodes whose options are combined for a gang.
constexpr size_t kNodesCombined = 8;

int64_t GpusOf(const Job& job) { return int64_t{job.spec->nodes} * job.spec->gpus.count; }

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
    everywhere += GpusOf(*candidate.job);
  }
  if (here <= missing) return here == missing ? std::optional(everywhere) : std::nullopt;
  constexpr int64_t kNone = INT64_MAX / 2;
  std::array<int64_t, kGpusPerNodeMax + 1> least;  // by the GPUs still missing
  std::fill_n(least.begin(), missing, kNone);
  least[static_cast<size_t>(missing)] = 0;
  for (const Contender& candidate : candidates) {
    const int64_t gpus = GpusOf(*candidate.job);
    for (int left = 1; left <= missing; ++left) {
      int64_t& after = least[static_cast<size_t>(std::max(left - candidate.gpus, 0))];
      after = std::min(after, least[static_cast<size_t>(left)] + gpus);
    }
  }
  return least[0];
}

VictimSet Joined(const VictimSet& set, const Contender& candidate, int index) {
  const EvictionCost own{candidate.priority, GpusOf(*candidate.job), 1, candidate.priority};
  return {{set.cost.first + own, set.cost.second},
          set.order - (1 << (static_cast<int>(kExactCandidates) - index)),
          set.members | 1U << index,
          set.gpus_here + candidate.gpus};
}

NodeVictims VictimsOf(const OnNode& on, uint32_t set) {
  NodeVictims option{on.node, {}, ""};
  for (; set != 0; set &= set - 1)
    option.victims.push_back(on.candidates[static_cast<size_t>(std::countr_zero(set))].job);
  return option;
}

template <typename F>
void ForEachNode(const State& state, const Job& job, const F& visit) {
  const std::vector<RankRecord>& ranks = job.attempts.back().ranks;
  if (job.leases.size() == ranks.size()) {
    for (const RankRecord& rank : ranks) visit(rank.node);
  } else {
    for (const LeaseId id : job.leases) visit(state.FindLease(id)->node);
  }
}

}  // namespace

EvictionCost EvictionCost::operator+(const EvictionCost& other) const {
  return {std::max(priority, other.priority), gpus + other.gpus, jobs + other.jobs,
          priorities + other.priorities};
}

EvictionCost CostOf(const Job& victim) {
  return {victim.spec->priority, GpusOf(victim), 1, victim.spec->priority};
}

EvictionCost CostOf(const std::vector<const Job*>& victims) {
  EvictionCost cost;
  for (const Job* victim : victims) cost = cost + CostOf(*victim);
  return cost;
}

CandidatesByNode::CandidatesByNode(const State& state, const std::vector<Contender>& candidates)
    : begins_(state.nodes.size() + 1, 0) {
  std::vector<std::pair<NodeId, const Contender*>> places;
  places.reserve(candidates.size());
  for (const Contender& candidate : candidates) {
    ForEachNode(state, *candidate.job, [&](NodeId node) {
      places.emplace_back(node, &candidate);
      ++begins_[node.value + 1];
    });
  }
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  contenders_.resize(begins_.back());
  std::vector<size_t> ends = begins_;
  for (const auto& [node, candidate] : places) contenders_[ends[node.value]++] = *candidate;
}

std::vector<OnNode> CandidatesByNode::Open(const std::set<NodeId>& left_out, bool all) {
  std::vector<OnNode> open;
  for (uint32_t i = 0; i + 1 < begins_.size(); ++i) {
    const std::span<Contender> candidates(contenders_.data() + begins_[i],
                                          begins_[i + 1] - begins_[i]);
    if ((all || !candidates.empty()) && !left_out.contains(NodeId{i}))
      open.push_back({NodeId{i}, candidates});
  }
  return open;
}

VictimSearch::VictimSearch(const State& state, const ScratchNodes& nodes, Instant at,
                           const Job& job, MayEvict may_evict)
    : state_(state), nodes_(nodes), at_(at), job_(job), may_evict_(std::move(may_evict)) {}

std::optional<EvictionPlan> VictimSearch::Find(const std::vector<OnNode>& open) {
  const Options all_options = FindOptions(open);
  if (!all_options.best) return std::nullopt;
  const auto wanted = static_cast<size_t>(job_.spec->nodes);
  std::optional<EvictionPlan> found = Gather(
      std::span(all_options.by_trait.at(*all_options.best)).first(wanted), all_options, open);
  if (!may_evict_(found->victims)) found.reset();
  if (wanted == 1 || wanted > kNodesCombined) return found;
  const auto cheaper =
      CombineNodeVictims(AllAmongCheapest(all_options, open), wanted, may_evict_,
                         found ? std::optional(CostOf(found->victims)) : std::nullopt);
  return cheaper ? Gather(*cheaper, all_options, open) : found;
}

// Looks at nodes in order of their lower bounds, until no other node can be cheaper than the best
// gang so far, or than the options that are combined for it.
VictimSearch::Options VictimSearch::FindOptions(const std::vector<OnNode>& open) {
  const auto wanted = static_cast<size_t>(job_.spec->nodes);
  std::vector<std::pair<NodeEvictionCost, const OnNode*>> promising;
  for (const OnNode& one : open) {
    if (const auto least = LeastCost(one)) promising.emplace_back(*least, &one);
  }
  std::ranges::sort(promising, {}, [](const auto& one) { return one.first; });
  const size_t combined = wanted == 1 || wanted > kNodesCombined ? 0 : kNodesCombined;
  std::vector<NodeEvictionCost> cheapest;  // of all traits, at most `combined`
  const auto cannot_matter = [&](const NodeEvictionCost& least) {
    return cheapest.size() == combined && (combined == 0 || cheapest.back() < least);
  };
  Options all_options;
  std::optional<NodeEvictionCost> best;  // of the most expensive node of the gang
  for (const auto& [least, one] : promising) {
    if (best && *best < least && cannot_matter(least)) break;
    auto option = FindOn(*one);
    if (!option) continue;
    const NodeEvictionCost cost = option->Cost();
    cheapest.insert(std::ranges::upper_bound(cheapest, cost), cost);
    cheapest.resize(std::min(cheapest.size(), combined));
    const std::string trait = option->trait;
    std::vector<NodeVictims>& alike = all_options.by_trait[trait];
    alike.push_back(*std::move(option));
    std::ranges::inplace_merge(alike, alike.end() - 1, {}, &NodeVictims::Cost);
    if (alike.size() < wanted || (best && alike[wanted - 1].Cost() >= *best)) continue;
    best = alike[wanted - 1].Cost();
    all_options.best = trait;
  }
  return all_options;
}

// For each of the cheapest nodes: every victim set without an unnecessary victim.
std::vector<std::vector<NodeVictims>> VictimSearch::AllAmongCheapest(
    const Options& all_options, const std::vector<OnNode>& open) {
  std::vector<NodeEvictionCost> cheapest;
  for (const auto& [trait, options] : all_options.by_trait) {
    for (const NodeVictims& option : options) cheapest.push_back(option.Cost());
  }
  std::ranges::sort(cheapest);
  cheapest.resize(std::min(cheapest.size(), kNodesCombined));
  std::vector<std::vector<NodeVictims>> all;
  for (const NodeEvictionCost& cost : cheapest) {
    const OnNode& on = *std::ranges::lower_bound(open, cost.second, {}, &OnNode::node);
    if (on.candidates.size() <= kExactCandidates) {
      all.push_back(FindCheapestOn(on, SIZE_MAX));
    } else if (auto some = FindAnyOn(on)) {
      all.push_back({*std::move(some)});
    }
  }
  return all;
}

// A lower bound of the cost on the node; nullopt: its candidates hold too few GPUs.
std::optional<NodeEvictionCost> VictimSearch::LeastCost(const OnNode& on) const {
  const int missing = job_.spec->gpus.count - std::popcount(EligibleGpus(nodes_.Of(on.node), job_));
  if (missing <= 0)
    return NodeEvictionCost{{}, on.node};  // enough GPUs are free: perhaps no victims are needed
  const auto gpus = LeastGpusFor(missing, on.candidates);
  if (!gpus) return std::nullopt;
  const int priority = LeastPriorityFor(missing, on.candidates);
  return NodeEvictionCost{{priority, *gpus, 1, priority}, on.node};
}

// The cheapest victims there; nullopt: evicting all candidates would not be enough.
std::optional<NodeVictims> VictimSearch::FindOn(const OnNode& on) {
  std::ranges::sort(on.candidates, {},
                    [this](const Contender& candidate) { return OrderOf(candidate, at_); });
  if (on.candidates.size() > kExactCandidates) return FindAnyOn(on);
  std::vector<NodeVictims> cheapest = FindCheapestOn(on, 1);
  return cheapest.empty() ? std::nullopt : std::optional(std::move(cheapest.front()));
}

// All sufficient sets, the cheapest first; of equal ones, by the order of eviction. No set contains
// another one.
std::vector<NodeVictims> VictimSearch::FindCheapestOn(const OnNode& on, size_t options_max) {
  const int64_t missing =
      job_.spec->gpus.count - std::popcount(EligibleGpus(nodes_.Of(on.node), job_));
  std::array<VictimSet, 1U << kExactCandidates> sets;
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
std::optional<NodeVictims> VictimSearch::FindAnyOn(const OnNode& on) {
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
    if (ChooseWithout(others, on.node)) option.victims = std::move(others);
  }
  return option;
}

// All victims of these options, without any that is not needed; tries to spare the highest priority
// first.
// Gangs that are evicted free GPUs on other nodes as well, and some nodes need no victims: the
// result may use those nodes.
EvictionPlan VictimSearch::Gather(std::span<const NodeVictims> options, const Options& all_options,
                                  const std::vector<OnNode>& open) {
  EvictionPlan found;
  std::vector<const Job*>& victims = found.victims;
  std::set<NodeId> usable;
  for (const NodeVictims& option : options) {
    found.nodes.push_back(option.node);
    for (const Job* job : option.victims) {
      if (std::ranges::count(victims, job)) continue;
      victims.push_back(job);
      ForEachNode(state_, *job, [&](NodeId node) {
        if (std::ranges::binary_search(open, node, {}, &OnNode::node)) usable.insert(node);
      });
    }
  }
  std::ranges::stable_sort(victims, {}, [](const Job* job) { return job->spec->priority; });
  usable.insert(found.nodes.begin(), found.nodes.end());
  for (const auto& [trait, alike] : all_options.by_trait) {
    for (const NodeVictims& option : alike) {
      if (option.victims.empty()) usable.insert(option.node);
    }
  }
  std::ranges::sort(found.nodes);
  const std::vector<NodeId> all(usable.begin(), usable.end());
  const size_t nodes_wanted = found.nodes.size();
  for (size_t i = victims.size(); i-- > 0;) {
    std::vector<const Job*> others = victims;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    std::vector<NodeId> nodes = NodesWithout(others, found.nodes);
    if (nodes.empty() && all.size() > nodes_wanted) nodes = NodesWithout(others, all);
    if (nodes.empty()) continue;
    victims = std::move(others);
    found.nodes = std::move(nodes);
  }
  return found;
}

// The first of these nodes that together hold the job once the victims have ended; empty: they
// cannot hold it.
std::vector<NodeId> VictimSearch::NodesWithout(const std::vector<const Job*>& victims,
                                               const std::vector<NodeId>& on) {
  const auto wanted = static_cast<size_t>(job_.spec->nodes);
  std::map<std::string, std::vector<NodeId>> by_trait;
  size_t most = 0;
  for (size_t i = 0; i < on.size() && most + (on.size() - i) >= wanted; ++i) {
    const auto choice = ChooseWithout(victims, on[i]);
    if (!choice) continue;
    std::vector<NodeId>& alike = by_trait[CommonTrait(*job_.spec, scratch_, *choice)];
    alike.push_back(on[i]);
    if (alike.size() == wanted) return alike;
    most = std::max(most, alike.size());
  }
  return {};
}

// Whether a rank fits without the victims; if so, sets the trait.
bool VictimSearch::FitsAfterEviction(NodeVictims& option) {
  const auto choice = ChooseWithout(option.victims, option.node);
  if (choice) option.trait = CommonTrait(*job_.spec, scratch_, *choice);
  return choice.has_value();
}

std::optional<NodeChoice> VictimSearch::ChooseWithout(const std::vector<const Job*>& victims,
                                                      NodeId id) {
  scratch_ = nodes_.Of(id);
  for (const Job* job : victims) TakeAway(state_, *job, scratch_);
  return ChooseGpus(scratch_, job_, WeightsOf(state_.policy.placement, job_.pool));
}

}  // namespace gp
