#pragma once

// A policy that imitates another scheduler: it takes nodes in the given order, and on each node the
// GPUs and cores that `pick` chooses.

#include <memory>
#include <vector>

#include "experiments/topology/peer_picks.h"
#include "experiments/topology/policy.h"

namespace gp {

enum class NodeChoiceOrder { kLowest, kRandom };
using PeerPick = HostPick (*)(const Node& node, const HostAsk& ask, Rng& rng);

std::unique_ptr<TopologyPolicy> MakePeerPolicy(const std::vector<Node>& nodes, PeerPick pick,
                                               NodeChoiceOrder order, uint64_t seed);

}  // namespace gp
