#pragma once

// For one shape of jobs: which classes of nodes could hold a rank now, best first.  Worked out once
// for each class.

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "domain/model/job.h"
#include "domain/placement/gpu_score.h"
#include "domain/scheduling/node_classes.h"

namespace gp {

// Between nodes, smaller is better: what the pool weighs, the quality of the place, the blocks it
// breaks, the fuller node. The lower node id decides between equals
// (docs/reference/placement_score.md).
struct NodeRank {
  int64_t weighted = 0;
  int first = 0;
  int second = 0;
  int links_descending = 0;
  int mig_lost = 0;
  int gpus_opened = 0;
  BlockCounts blocks_lost{};
  int gpus_free = 0;
  int share_left = 0;
  auto operator<=>(const NodeRank&) const = default;
};

// By trait (CommonTrait).
using NodesByTrait = std::map<std::string, std::vector<NodeId>>;

class ShapeRanking {
 public:
  explicit ShapeRanking(const PlacementWeights& weights) : weights_(weights) {}

  // The nodes for a gang of `ranks`, of one trait, best first.
  struct Pick {
    std::vector<NodeId> nodes;
    size_t nodes_fit = 0;  // of that trait
  };
  // `job`: any of the shape.  `reserved` nodes are left out.  nullopt: there are too few.
  // A node on which the platform failed the job is taken only where it fits nowhere else.
  std::optional<Pick> Find(const NodeClasses& classes, const Job& job,
                           const std::set<NodeId>& reserved);

  // The most nodes of one trait on which a rank fits.  `job`: any of the shape.
  size_t CountMost(const NodeClasses& classes, const Job& job, const std::set<NodeId>& reserved);

  // Nodes in service that could hold a rank if nothing were granted on them.
  NodesByTrait AbleWhenEmpty(const NodeClasses& classes, const Job& job,
                             const std::set<NodeId>& left_out);
  // The emptiest of those, as many as the gang has ranks; none: there are too few.
  std::vector<NodeId> FindEmptied(const NodeClasses& classes, const Job& job,
                                  const std::set<NodeId>& left_out);

 private:
  using Groups = std::map<NodeRank, std::vector<ClassId>>;
  void Update(const NodeClasses& classes, const Job& job);
  // nullptr: none in service, or not even then.
  const std::string* TraitIfEmpty(const NodeClasses& classes, ClassId id, const Job& job);
  std::string NearestPart(const NodeClasses& classes, const Groups& groups, size_t wanted,
                          const std::set<NodeId>& left_out) const;
  std::optional<Pick> FindAmong(const NodeClasses& classes, size_t wanted,
                                const std::set<NodeId>& left_out) const;

  PlacementWeights weights_;
  size_t seen_ = 0;               // classes looked at
  std::vector<ClassId> pending_;  // of those, not yet ranked because nobody was in them
  std::map<std::string, Groups> by_trait_;
  std::map<ClassId, std::optional<std::string>> trait_if_empty_;  // nullopt: not even then
};

}  // namespace gp
