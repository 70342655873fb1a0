#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "domain/cluster/command.h"
#include "domain/model/jobs/job.h"
#include "domain/model/nodes/node.h"

namespace gp {

// A policy of the topology experiment, which places the ranks of a job.
// docs/reference/topology_policies.md describes each.
class TopologyPolicy {
 public:
  virtual ~TopologyPolicy() = default;

  // Places all ranks of the job, each on another node; nullopt: not possible now.
  virtual std::optional<std::vector<RankPlacement>> Place(const Job& job) = 0;
  // Called with each node at the beginning, and after each change of a node.
  virtual void See(const Node&) {}
};

struct NamedTopologyPolicy {
  std::string_view name;
  // `nodes` outlives the policy and is always up to date; a node's id is its position in it.
  std::unique_ptr<TopologyPolicy> (*make)(const std::vector<Node>& nodes, uint64_t seed);
};

std::span<const NamedTopologyPolicy> TopologyPolicies();
const NamedTopologyPolicy* FindTopologyPolicy(std::string_view name);

}  // namespace gp
