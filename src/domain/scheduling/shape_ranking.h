#pragma once

// For one shape of jobs: which classes of nodes can hold a rank now, best first. Computed once for
// each class.

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "domain/model/jobs/job.h"
#include "domain/placement/gpu_score.h"
#include "domain/scheduling/node_classes.h"

namespace gp {

// Compares nodes, smaller is better: first the weights of the pool, then the quality of the GPUs,
// the blocks that it breaks, the fuller node. Between equals decide first the layers of the job's
// image, then the lower node id (docs/reference/placement_score.md).
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

// Nodes by trait (CommonTrait).
using NodesByTrait = std::map<std::string, std::vector<NodeId>>;

// Ranks new classes as they appear and get members. Use it with one NodeClasses and one shape only.
// Not thread-safe.
class ShapeRanking {
 public:
  explicit ShapeRanking(const PlacementWeights& weights) : weights_(weights) {}

  // The nodes for a gang of `ranks`, all of one trait, best first.
  struct Pick {
    std::vector<NodeId> nodes;
    size_t nodes_fit = 0;  // of that trait
  };
  // `job`: any job of the shape. Leaves out the `closed` nodes. nullopt: too few nodes. A node on
  // which the platform failed the job is used only if the job fits nowhere else. Of nodes that rank
  // equally, the `preferred` come first.
  std::optional<Pick> Find(const NodeClasses& classes, const Job& job,
                           const std::set<NodeId>& closed, const NodeBits& preferred = {});

  // The largest number of nodes of one trait on which a rank fits. `job`: any job of the shape.
  size_t CountMost(const NodeClasses& classes, const Job& job, const std::set<NodeId>& closed);

  // Nodes in service that could hold a rank if nothing were granted on them.
  NodesByTrait AbleWhenEmpty(const NodeClasses& classes, const Job& job,
                             const std::set<NodeId>& left_out);
  // The emptiest of those nodes, one for each rank of the gang; empty: too few.
  std::vector<NodeId> FindEmptied(const NodeClasses& classes, const Job& job,
                                  const std::set<NodeId>& left_out);

 private:
  using Groups = std::map<NodeRank, std::vector<ClassId>>;
  void Update(const NodeClasses& classes, const Job& job);
  // nullptr: no node is in service, or a rank would not fit even on an empty one.
  const std::string* TraitIfEmpty(const NodeClasses& classes, ClassId id, const Job& job);
  std::string NearestPart(const NodeClasses& classes, const Groups& groups, size_t wanted,
                          const std::set<NodeId>& left_out) const;
  std::optional<Pick> FindAmong(const NodeClasses& classes, size_t wanted,
                                const std::set<NodeId>& left_out, const NodeBits& preferred) const;

  PlacementWeights weights_;
  size_t seen_ = 0;               // number of classes looked at
  std::vector<ClassId> pending_;  // of those, not yet ranked: they had no members
  std::map<std::string, Groups> by_trait_;
  // nullopt: no rank fits even if empty
  std::map<ClassId, std::optional<std::string>> trait_if_empty_;
};

}  // namespace gp
