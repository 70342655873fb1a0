#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "domain/cluster/state/state.h"
#include "domain/defragmenting/fragmentation.h"
#include "domain/scheduling/node_classes.h"

namespace gp {

// The fragmentation of each pool, measured with its running and pending jobs as in `defrag plan`
// (docs/defragmentation.md).  It follows a state incrementally, so that frequent updates cost
// little.
class FragmentationLevels {
 public:
  // REQUIRES: the same state as in the last call, or a later version of it.
  void Follow(const State& state);

  // Covers all pools that have nodes.
  const std::map<std::string, Fragmentation>& by_pool() const { return by_pool_; }

 private:
  using KindId = size_t;
  struct Kind {
    Job example;
    int64_t share = 0;          // requested by its running and pending jobs
    std::vector<int16_t> left;  // GPUs left on a node, by node class; kUnknown: not computed yet
  };
  struct Held {
    LeaseId lease;
    KindId kind = 0;
    int64_t share = 0;
  };
  struct Demand {
    KindId kind = 0;
    int64_t share_each = 0;
    int64_t jobs = 0;
  };
  struct Pool {
    std::set<std::pair<int64_t, KindId>> kinds;  // by negative share: largest request first
    std::map<ClassId, int64_t> nodes;            // number of nodes with free GPUs, by class
    bool is_changed = true;
  };

  void FollowNodes(const State& state);
  void MoveIntoClass(const Node& node);
  void FollowLeases(const State& state, const Node& node);
  void FollowClasses(const State& state);
  KindId KindOf(const Job& job);
  void Add(KindId kind, int64_t share);
  Fragmentation Measure(const Pool& pool);
  int64_t LeftOn(Kind& kind, ClassId id);

  uint64_t seen_ = 0;  // State::node_changes
  NodeClasses classes_;
  std::vector<ClassId> class_of_;                   // by node; kNoClass: it has no free GPUs
  std::vector<std::vector<Held>> held_;             // by node
  std::map<EquivalenceClass, Demand> job_classes_;  // the pending jobs
  std::map<JobShape, KindId> kind_of_;
  std::vector<Kind> kinds_;
  std::map<std::string, Pool> pools_;
  std::map<std::string, Fragmentation> by_pool_;
};

}  // namespace gp
