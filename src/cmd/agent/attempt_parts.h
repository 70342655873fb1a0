#pragma once

// What an agent runs attempts with, and its connection to the controller, as parts of its start.

#include <memory>
#include <string>

#include "adapters/outbound/cgroup/cgroup_isolation.h"
#include "adapters/outbound/grpc/tunnel.h"
#include "adapters/outbound/link/socket_control_link.h"
#include "adapters/outbound/process/supervised_attempt_runner.h"
#include "application/agent/copying_runner.h"
#include "application/agent/mig_runner.h"
#include "application/agent/sharing_runner.h"
#include "application/agent/staging_runner.h"
#include "cmd/agent/live_images.h"
#include "cmd/agent/node_parts.h"
#include "infrastructure/agent_identity.h"
#include "infrastructure/system_clock.h"

namespace gp {

// The connection to the controller, with the credentials of the node.
class LinkPart : public Component {
 public:
  LinkPart(const AgentConfig& config, Clock& clock, NodePart& node)
      : config_(config), clock_(clock), node_(node) {}
  Status Start() override;
  SocketControlLink& link() { return *link_; }
  Tunnels& tunnels() { return *tunnels_; }

 private:
  Result<std::string> ControllerAuthority() const;

  const AgentConfig& config_;
  Clock& clock_;
  NodePart& node_;
  std::unique_ptr<NodeCredentials> credentials_;
  std::unique_ptr<Tunnels> tunnels_;
  std::unique_ptr<SocketControlLink> link_;
};

// Control groups and processes of attempts.
class AttemptsPart : public Component {
 public:
  AttemptsPart(const AgentConfig& config, OperatorLog& log, Clock& clock)
      : config_(config), log_(log), clock_(clock) {}
  Status Start() override;
  void Stop() override { isolation_->RemoveUnused(); }
  AttemptRunner& runner() { return *runner_; }
  const AgentIncarnation& incarnation() const { return incarnation_; }

 private:
  const AgentConfig& config_;
  OperatorLog& log_;
  Clock& clock_;
  AgentIncarnation incarnation_;
  std::unique_ptr<CgroupIsolation> isolation_;
  std::unique_ptr<SupervisedAttemptRunner> runner_;
};

// The care for GPUs, and what several attempts share them with.  The agent's thread calls it.
class GpusPart : public Component {
 public:
  GpusPart(const AgentConfig& config, OperatorLog& log, Clock& clock, NodePart& node,
           AttemptsPart& attempts)
      : config_(config), log_(log), clock_(clock), node_(node), attempts_(attempts) {}
  Status Start() override;
  void Stop() override;
  LiveGpuKeeper& keeper() { return *keeper_; }
  AttemptRunner& runner() { return *copying_; }
  ImageStore& images() { return *images_.store; }
  ImageCare* image_care() { return images_.care.get(); }

 private:
  const AgentConfig& config_;
  OperatorLog& log_;
  Clock& clock_;
  NodePart& node_;
  AttemptsPart& attempts_;
  std::unique_ptr<LiveGpuKeeper> keeper_;
  std::unique_ptr<SharingRunner> sharing_;
  std::unique_ptr<MigInstances> instances_;
  std::unique_ptr<MigRunner> mig_;
  NodeImageParts images_;
  std::unique_ptr<DataStore> data_;
  std::unique_ptr<StagingRunner> staging_;
  std::unique_ptr<CopyingRunner> copying_;
};

}  // namespace gp
