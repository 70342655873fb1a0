#pragma once

// The messages of an exchange between an agent and its controller.

#include "adapters/inbound/api/node_channels.h"
#include "base/result.h"
#include "domain/cluster/command.h"
#include "gpu_platform/v1/node.pb.h"
#include "lib/secrets/secrets.h"
#include "ports/inbound/node_gateway.h"
#include "ports/outbound/control_link.h"
#include "ports/outbound/secret_keeper.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// Without readings, progress and images, which the controller keeps as the messages say them.
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
  // `secrets` and `channels` outlive it; `secrets` may be nullptr: there are none.  Tokens of jobs
  // follow from `join_token`, so that they are the same after a restart.
  ControllerMessages(const SecretKeeper* secrets, const std::string& join_token,
                     const NodeChannels& channels)
      : secrets_(secrets),
        job_token_key_(HmacSha256(join_token, "tokens of jobs")),
        channels_(channels) {}

  v1::ControllerMessage ToMessage(const ControllerNews& news) const;

 private:
  // Adds to the leases that are to start the secrets that their jobs name, and tokens.
  void AddSecrets(NodeDesiredState& desired) const;
  // Adds what is stored; returns its bytes.
  size_t AddStored(const std::vector<std::string>& names, DesiredLease& desired_lease) const;
  std::string JobTokenOf(uint64_t lineage, const Lease& lease) const;

  const SecretKeeper* const secrets_;
  const std::string job_token_key_;
  const NodeChannels& channels_;
};

}  // namespace gp
