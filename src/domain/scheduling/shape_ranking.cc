#include "domain/scheduling/shape_ranking.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "domain/placement/choose_gpus.h"
#include "domain/placement/network.h"
#include "domain/placement/place_gang.h"

namespace gp {
namespace {

NodeRank RankOf(const Node& node, const NodeChoice& choice) {
  const GpuScore& s = choice.score;
  return {s.weighted,  s.first,       s.second,      s.links_descending,
          s.mig_lost,  s.gpus_opened, s.blocks_lost, std::popcount(FreeGpus(node)),
          s.share_left};
}

// Visits the members of some classes in order of node id, until `visit` returns false.
template <typename F>
bool VisitInOrder(const NodeClasses& classes, const std::vector<ClassId>& group, F visit) {
  using Members = std::set<NodeId>;
  std::set<std::pair<NodeId, ClassId>> heads;
  for (const ClassId id : group) {
    const Members& members = classes.Of(id).members;
    if (!members.empty()) heads.insert({*members.begin(), id});
  }
  while (!heads.empty()) {
    const auto [node, id] = *heads.begin();
    if (!visit(node, id)) return false;
    heads.erase(heads.begin());
    const Members& members = classes.Of(id).members;
    const auto next = members.upper_bound(node);
    if (next != members.end()) heads.insert({*next, id});
  }
  return true;
}

// Visits those members of the classes that are `preferred`, in order of node id.
template <typename F>
bool VisitPreferred(const NodeClasses& classes, const std::vector<ClassId>& group,
                    const NodeBits& preferred, F visit) {
  for (size_t word = 0; word < preferred.size_in_words(); ++word) {
    uint64_t members = 0;
    for (const ClassId id : group) members |= classes.Of(id).bits.Word(word);
    const auto with_class = [&](NodeId node) { return visit(node, classes.ClassOf(node)); };
    if (!VisitWord(word, members & preferred.Word(word), with_class)) return false;
  }
  return true;
}

size_t CountFree(const NodeClasses& classes, const std::vector<ClassId>& group,
                 const std::set<NodeId>& left_out) {
  size_t count = 0;
  for (const ClassId id : group) {
    const auto& members = classes.Of(id).members;
    const auto& fewer = members.size() < left_out.size() ? members : left_out;
    const auto& more = members.size() < left_out.size() ? left_out : members;
    count += members.size();
    for (const NodeId node : fewer) count -= more.contains(node) ? 1 : 0;
  }
  return count;
}

}  // namespace

void ShapeRanking::Update(const NodeClasses& classes, const Job& job) {
  for (; seen_ < classes.size(); ++seen_) pending_.push_back(static_cast<ClassId>(seen_));
  std::erase_if(pending_, [&](ClassId id) {
    const NodeClasses::Class& one = classes.Of(id);
    if (one.members.empty()) return false;
    if (const auto choice = ChooseGpus(one.example, job, weights_)) {
      by_trait_[CommonTrait(*job.spec, one.example, *choice)][RankOf(one.example, *choice)]
          .push_back(id);
    }
    return true;
  });
}

std::optional<ShapeRanking::Pick> ShapeRanking::Find(const NodeClasses& classes, const Job& job,
                                                     const std::set<NodeId>& closed,
                                                     const NodeBits& preferred) {
  Update(classes, job);
  const auto wanted = static_cast<size_t>(job.spec->resources.nodes);
  if (std::set<NodeId> left_out = NodesWithFaults(job); !left_out.empty()) {
    left_out.insert(closed.begin(), closed.end());
    if (auto pick = FindAmong(classes, wanted, left_out, preferred)) return pick;
  }
  return FindAmong(classes, wanted, closed, preferred);
}

std::optional<ShapeRanking::Pick> ShapeRanking::FindAmong(const NodeClasses& classes, size_t wanted,
                                                          const std::set<NodeId>& left_out,
                                                          const NodeBits& preferred) const {
  std::optional<Pick> best;
  // The nearest part of the network, then the worst of the nodes, decides between traits
  std::tuple<int, NodeRank, bool, NodeId> best_last;
  for (const auto& [trait, groups] : by_trait_) {
    const std::string part = wanted == 1 ? "" : NearestPart(classes, groups, wanted, left_out);
    const int levels = CountLevels(part);
    Pick pick;
    std::tuple<int, NodeRank, bool, NodeId> last;
    for (const auto& [rank, group] : groups) {
      pick.nodes_fit += CountFree(classes, group, left_out);
      if (pick.nodes.size() == wanted) continue;
      const auto take = [&](NodeId node, ClassId id) {
        if (left_out.contains(node) ||
            (levels > 0 && Outer(NetworkOf(classes.Of(id).example), levels) != part))
          return true;
        pick.nodes.push_back(node);
        last = {-levels, rank, !preferred.Contains(node), node};
        return pick.nodes.size() < wanted;
      };
      if (!VisitPreferred(classes, group, preferred, take)) continue;
      VisitInOrder(classes, group, [&](NodeId node, ClassId id) {
        return preferred.Contains(node) || take(node, id);
      });
    }
    if (pick.nodes.size() < wanted || (best && best_last < last)) continue;
    best = std::move(pick);
    best_last = last;
  }
  return best;
}

// The innermost part of the network that has enough nodes; of several, the one with the fewest, so
// that the others stay whole for larger gangs. Empty: only all of them together have enough.
std::string ShapeRanking::NearestPart(const NodeClasses& classes, const Groups& groups,
                                      size_t wanted, const std::set<NodeId>& left_out) const {
  std::map<std::string_view, size_t> fit;
  for (const auto& [rank, group] : groups) {
    for (const ClassId id : group) {
      const std::string_view network = NetworkOf(classes.Of(id).example);
      if (network.empty()) continue;
      const size_t members = CountFree(classes, {id}, left_out);
      for (int levels = CountLevels(network); levels > 0; --levels)
        fit[Outer(network, levels)] += members;
    }
  }
  std::tuple<int, size_t, std::string_view> nearest{0, 0, ""};
  for (const auto& [part, nodes] : fit) {
    if (nodes >= wanted && std::get<2>(nearest).empty())
      nearest = {-CountLevels(part), nodes, part};
    if (nodes >= wanted) nearest = std::min(nearest, {-CountLevels(part), nodes, part});
  }
  return std::string(std::get<2>(nearest));
}

size_t ShapeRanking::CountMost(const NodeClasses& classes, const Job& job,
                               const std::set<NodeId>& closed) {
  Update(classes, job);
  size_t most = 0;
  for (const auto& [trait, groups] : by_trait_) {
    size_t fit = 0;
    for (const auto& [rank, group] : groups) fit += CountFree(classes, group, closed);
    most = std::max(most, fit);
  }
  return most;
}

const std::string* ShapeRanking::TraitIfEmpty(const NodeClasses& classes, ClassId id,
                                              const Job& job) {
  const NodeClasses::Class& one = classes.Of(id);
  if (one.members.empty() || one.example.condition != NodeCondition::kUp || one.example.draining)
    return nullptr;
  const auto [known, is_new] = trait_if_empty_.try_emplace(id);
  if (is_new) {
    const Node empty = Emptied(one.example);
    if (const auto choice = ChooseGpus(empty, job, weights_))
      known->second = CommonTrait(*job.spec, empty, *choice);
  }
  return known->second ? &*known->second : nullptr;
}

NodesByTrait ShapeRanking::AbleWhenEmpty(const NodeClasses& classes, const Job& job,
                                         const std::set<NodeId>& left_out) {
  NodesByTrait able;
  for (ClassId id = 0; id < classes.size(); ++id) {
    const std::string* trait = TraitIfEmpty(classes, id, job);
    if (trait == nullptr) continue;
    std::ranges::copy_if(classes.Of(id).members, std::back_inserter(able[*trait]),
                         [&](NodeId node) { return !left_out.contains(node); });
  }
  return able;
}

std::vector<NodeId> ShapeRanking::FindEmptied(const NodeClasses& classes, const Job& job,
                                              const std::set<NodeId>& left_out) {
  std::map<int, std::vector<ClassId>> emptiest_first;
  for (ClassId id = 0; id < classes.size(); ++id) {
    if (TraitIfEmpty(classes, id, job) != nullptr)
      emptiest_first[-std::popcount(FreeGpus(classes.Of(id).example))].push_back(id);
  }
  NodesByTrait by_trait;
  const std::vector<NodeId>* found = nullptr;
  for (const auto& [emptiness, group] : emptiest_first) {
    VisitInOrder(classes, group, [&](NodeId node, ClassId id) {
      if (left_out.contains(node)) return true;
      std::vector<NodeId>& alike = by_trait[*trait_if_empty_[id]];
      alike.push_back(node);
      if (static_cast<int>(alike.size()) == job.spec->resources.nodes) found = &alike;
      return found == nullptr;
    });
    if (found != nullptr) return *found;
  }
  return {};
}

}  // namespace gp
