#pragma once

// The agents that a controller starts with itself, as parts of its start.

#include <memory>
#include <optional>
#include <string>

#include "adapters/outbound/played_nodes/played_nodes.h"
#include "cmd/agent/live_agent.h"
#include "cmd/serve/control_parts.h"
#include "cmd/serve/simulated_agents.h"

namespace gp {

// The agent of this machine; none, if the nodes are simulated or none is wanted.
class AgentPart : public Component {
 public:
  AgentPart(const ControllerConfig& config, OperatorLog& log, DirectoriesPart& directories)
      : config_(config), log_(log), directories_(directories) {}
  Status Start() override;
  void Stop() override;

 private:
  const ControllerConfig& config_;
  OperatorLog& log_;
  DirectoriesPart& directories_;
  std::unique_ptr<LiveAgent> agent_;
};

// The agents of simulated nodes, if there are any.
class SimulatedNodesPart : public Component {
 public:
  SimulatedNodesPart(const ControllerConfig& config, OperatorLog& log, RecoveryPart& recovery)
      : config_(config), log_(log), recovery_(recovery) {}
  Status Start() override;  // of the first node
  void Stop() override;
  // The others follow one by one, after the controller is announced.  A failure is a warning.
  void StartOthers();

 private:
  const ControllerConfig& config_;
  OperatorLog& log_;
  RecoveryPart& recovery_;
  std::optional<SimulatedAgents> agents_;
};

// Nodes that are played, if they are wanted.
class PlayedNodesPart : public Component {
 public:
  PlayedNodesPart(const ControllerConfig& config, OperatorLog& log, DirectoriesPart& directories)
      : config_(config), log_(log), directories_(directories) {}
  Status Start() override;
  void Stop() override { nodes_.reset(); }

 private:
  const ControllerConfig& config_;
  OperatorLog& log_;
  DirectoriesPart& directories_;
  std::unique_ptr<PlayedNodes> nodes_;
};

// Waits a short time until the controller knows the nodes that it starts itself, so that it admits
// jobs for all of them once it is called ready.
void AwaitOwnNodes(const ControllerConfig& config, RecoveryPart& recovery);

}  // namespace gp
