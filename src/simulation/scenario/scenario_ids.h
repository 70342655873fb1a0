#pragma once

// The ids that the steps of a scenario's run use for its nodes and jobs.

#include <map>
#include <memory>
#include <string>

#include "domain/model/ids.h"
#include "domain/model/nodes/node.h"

namespace gp {

struct ScenarioIds {
  struct KnownNode {
    NodeId id;
    std::shared_ptr<const NodeFacts> facts;
  };

  NodeId next_node{0};
  JobId next_job{1};
  std::map<std::string, KnownNode> nodes;  // by name
  std::map<std::string, JobId> jobs;       // by name, also "train-3"
};

}  // namespace gp
