#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/grpc/node_credentials.h"
#include "ports/inbound/channel_gateway.h"
#include "ports/outbound/control_link.h"

namespace gp {

// ControlLink over gRPC.  A connection has one thread that reads and one that writes, so that the
// agent's own thread never waits for the network.  The agent's thread makes all calls.
class GrpcControlLink : public ControlLink {
 public:
  // `credentials` must outlive this object.
  explicit GrpcControlLink(const NodeCredentials& credentials);
  ~GrpcControlLink() override;

  // Static facts of each GPU, sent with its readings.  Call it before the first Connect.
  void SetIdentities(std::vector<GpuIdentity> identities) { identities_ = std::move(identities); }
  // The gateway that serves logs and exec.  Call it before the first Connect.
  void SetChannels(ChannelGateway* channels) { channels_ = channels; }

  const std::vector<std::string>& addresses() const override { return credentials_.addresses(); }
  std::unique_ptr<ControlConnection> Connect(size_t address) override;
  int EventDescriptor() const override { return event_fd_; }
  void ClearEvent() override;

 private:
  const NodeCredentials& credentials_;
  std::vector<GpuIdentity> identities_;
  ChannelGateway* channels_ = nullptr;
  int event_fd_;
};

}  // namespace gp
