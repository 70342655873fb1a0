#include "domain/scheduling/victims/victim_search.h"

#include <algorithm>
#include <set>
#include <utility>

#include "domain/scheduling/victims/combine_node_victims.h"

namespace gp {
namespace {

// Number of nodes whose options are combined for a gang.
constexpr size_t kNodesCombined = 8;

}  // namespace

VictimSearch::VictimSearch(const State& state, const ScratchNodes& nodes, Instant at,
                           const Job& job, MayEvict may_evict)
    : state_(state),
      job_(job),
      may_evict_(std::move(may_evict)),
      on_node_(state, nodes, at, job, may_evict_) {}

std::optional<EvictionPlan> VictimSearch::Find(const std::vector<OnNode>& open) {
  const Options all_options = FindOptions(open);
  if (!all_options.best) return std::nullopt;
  const auto wanted = static_cast<size_t>(job_.spec->resources.nodes);
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
  const auto wanted = static_cast<size_t>(job_.spec->resources.nodes);
  std::vector<std::pair<NodeEvictionCost, const OnNode*>> promising;
  for (const OnNode& one : open) {
    if (const auto least = on_node_.LeastCost(one)) promising.emplace_back(*least, &one);
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
    auto option = on_node_.FindCheapest(*one);
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
    all.push_back(on_node_.FindAll(on));
  }
  return all;
}

// All victims of these options, without any that is not needed. Gangs that are evicted free GPUs on
// other nodes as well, and some nodes need no victims: the result may use those nodes.
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
      ForEachNodeOf(state_, *job, [&](NodeId node) {
        if (std::ranges::binary_search(open, node, {}, &OnNode::node)) usable.insert(node);
      });
    }
  }
  std::ranges::stable_sort(victims, {}, [](const Job* job) { return job->spec->policy.priority; });
  usable.insert(found.nodes.begin(), found.nodes.end());
  for (const auto& [trait, alike] : all_options.by_trait) {
    for (const NodeVictims& option : alike) {
      if (option.victims.empty()) usable.insert(option.node);
    }
  }
  std::ranges::sort(found.nodes);
  Spare(found, {usable.begin(), usable.end()});
  return found;
}

// Tries to spare the highest priority first, on the nodes found; then on any of `all`.
void VictimSearch::Spare(EvictionPlan& found, const std::vector<NodeId>& all) {
  std::vector<const Job*>& victims = found.victims;
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
}

// The first of these nodes that together hold the job once the victims have ended; empty: they
// cannot hold it.
std::vector<NodeId> VictimSearch::NodesWithout(const std::vector<const Job*>& victims,
                                               const std::vector<NodeId>& on) {
  const auto wanted = static_cast<size_t>(job_.spec->resources.nodes);
  std::map<std::string, std::vector<NodeId>> by_trait;
  size_t most = 0;
  for (size_t i = 0; i < on.size() && most + (on.size() - i) >= wanted; ++i) {
    const auto trait = on_node_.TraitWithout(victims, on[i]);
    if (!trait) continue;
    std::vector<NodeId>& alike = by_trait[*trait];
    alike.push_back(on[i]);
    if (alike.size() == wanted) return alike;
    most = std::max(most, alike.size());
  }
  return {};
}

}  // namespace gp
