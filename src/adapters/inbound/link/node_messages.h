#pragma once

// The messages of an exchange between an agent and its controller.

#include "adapters/inbound/api/node_channels.h"
#include "base/result.h"
#include "domain/cluster/command.h"
#include "gpu_platform/v1/node.pb.h"
#include "ports/inbound/node_gateway.h"
#include "ports/outbound/control_link.h"
#include "ports/outbound/secret_keeper.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// Without readings and progress, which the controller keeps as the messages say them.
Result<JoinNode> JoinFrom(const v1::Join& message);
Result<AgentReport> ReportFrom(const v1::Report& message);
Result<GpuNews> GpuNewsFrom(const v1::GpuNews& message);
// kInvalidArgument: a number is negative, or a piece has half a line.
Result<std::vector<MetricPart>> MetricPartsFrom(const v1::MetricParts& message);
v1::ControllerMessage ToMessage(const std::vector<MetricMark>& kept);

// Writes the controller's messages, with the secrets that jobs name and the channels that users
// wait for.  Any thread may call it.
class ControllerMessages {
 public:
  // Both outlive it; `secrets` may be nullptr: there are none.
  ControllerMessages(const SecretKeeper* secrets, const NodeChannels& channels)
      : secrets_(secrets), channels_(channels) {}

  v1::ControllerMessage ToMessage(const ControllerNews& news) const;

 private:
  // Adds the secrets that jobs name to the leases that are to start.
  void AddSecrets(NodeDesiredState& desired) const;

  const SecretKeeper* const secrets_;
  const NodeChannels& channels_;
};

}  // namespace gp
