#include "domain/scheduling/victims/candidates_by_node.h"

#include <cstdint>
#include <numeric>
#include <utility>

namespace gp {

CandidatesByNode::CandidatesByNode(const State& state, const std::vector<Contender>& candidates)
    : begins_(state.nodes.all.size() + 1, 0) {
  std::vector<std::pair<NodeId, const Contender*>> places;
  places.reserve(candidates.size());
  for (const Contender& candidate : candidates) {
    ForEachNodeOf(state, *candidate.job, [&](NodeId node) {
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

}  // namespace gp
