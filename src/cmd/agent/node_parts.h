#pragma once

// What an agent finds on its machine, as parts of its start.

#include <memory>
#include <string>
#include <vector>

#include "cmd/agent/agent_config.h"
#include "cmd/agent/live_gpu_keeper.h"
#include "cmd/daemon/component.h"
#include "domain/model/nodes/node.h"
#include "ports/outbound/gpu_driver.h"
#include "ports/outbound/operator_log.h"

namespace gp {

// The host: no other scheduler hands out its GPUs, and the state directory exists.
class HostPart : public Component {
 public:
  explicit HostPart(const AgentConfig& config) : config_(config) {}
  // kConflict: the process runs inside another scheduler's allocation.
  Status Start() override;

 private:
  const AgentConfig& config_;
};

// The node: the facts of this machine, or of a simulated one.
class NodePart : public Component {
 public:
  NodePart(const AgentConfig& config, OperatorLog& log) : config_(config), log_(log) {}
  // kUnavailable: no driver here (names --simulate).
  Status Start() override;

  const std::string& name() const { return name_; }
  const std::shared_ptr<const NodeFacts>& facts() const { return facts_; }
  // By their position in the node.
  const std::vector<AgentGpu>& places() const { return places_; }
  const std::vector<GpuIdentity>& identities() const { return identities_; }
  const std::string& mps_control() const { return mps_control_; }  // empty: none
  bool is_simulated() const { return !config_.simulate.empty(); }

 private:
  // What it can do for jobs.
  Status FindFeatures(NodeFacts& facts) const;
  void Warn(const std::vector<std::string>& warnings) const;

  const AgentConfig& config_;
  OperatorLog& log_;
  std::string name_;
  std::shared_ptr<const NodeFacts> facts_;
  std::vector<AgentGpu> places_;
  std::vector<GpuIdentity> identities_;
  std::string mps_control_;
};

}  // namespace gp
