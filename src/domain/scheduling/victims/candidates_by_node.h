#pragma once

// The running jobs that could be evicted, by the nodes where they run.

#include <cstddef>
#include <set>
#include <span>
#include <vector>

#include "domain/cluster/preemption.h"
#include "domain/cluster/state/state.h"

namespace gp {

// The candidates for eviction on one node.
struct OnNode {
  NodeId node;
  std::span<Contender> candidates;
};

// The candidates for eviction, grouped by node: a gang appears once on each of its nodes.
class CandidatesByNode {
 public:
  CandidatesByNode(const State& state, const std::vector<Contender>& candidates);

  // `all`: also nodes without candidates, where a rank of a gang may fit as it is. In order of id;
  // valid as long as this is.
  std::vector<OnNode> Open(const std::set<NodeId>& left_out, bool all);

 private:
  std::vector<size_t> begins_;  // by node; the last one is the end
  std::vector<Contender> contenders_;
};

// Visits each node where the job runs.
template <typename F>
void ForEachNodeOf(const State& state, const Job& job, const F& visit) {
  const std::vector<RankRecord>& ranks = job.attempts.back().ranks;
  if (job.leases.size() == ranks.size()) {
    for (const RankRecord& rank : ranks) visit(rank.node);
  } else {
    for (const LeaseId id : job.leases) visit(state.FindLease(id)->node);
  }
}

}  // namespace gp
