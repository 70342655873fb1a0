#pragma once

// A policy of the topology experiment: where the ranks of a job go.  What each does is told in
// docs/reference/topology_policies.md.

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "domain/cluster/command.h"
#include "domain/model/job.h"
#include "domain/model/node.h"

namespace gp {

class TopologyPolicy {
 public:
  virtual ~TopologyPolicy() = default;

  // All ranks of the job, on nodes of their own; nullopt: not now.
  virtual std::optional<std::vector<RankPlacement>> Place(const Job& job) = 0;
  // Told of each change of a node, and of each node at the beginning.
  virtual void See(const Node&) {}
};

struct NamedTopologyPolicy {
  std::string_view name;
  // `nodes` outlives the policy and is always up to date; a node's id is its place there.
  std::unique_ptr<TopologyPolicy> (*make)(const std::vector<Node>& nodes, uint64_t seed);
};

std::span<const NamedTopologyPolicy> TopologyPolicies();
const NamedTopologyPolicy* FindTopologyPolicy(std::string_view name);

}  // namespace gp
