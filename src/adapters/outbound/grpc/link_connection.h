#pragma once

#include <grpcpp/client_context.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "adapters/outbound/grpc/node_credentials.h"
#include "domain/node/outgoing.h"
#include "gpu_platform/v1/node.grpc.pb.h"
#include "ports/inbound/channel_gateway.h"
#include "ports/outbound/control_link.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// What the connections of an agent share; outlives them.
struct LinkParts {
  const NodeCredentials& credentials;
  const std::string& address;
  const std::vector<GpuIdentity>& identities;
  ChannelGateway* channels;
  int event_fd;  // written when there is news
};

// One connection of an agent to a controller, from its probe until it breaks.  The owner's thread
// makes all calls; they do not wait for the network.
class LinkConnection : public ControlConnection {
 public:
  explicit LinkConnection(const LinkParts& parts);
  ~LinkConnection() override;

  uint64_t Send(const JoinNode& join) override;
  uint64_t Send(const AgentReport& report) override;
  uint64_t Send(const GpuNews& news) override;
  uint64_t Send(const Heartbeat& heartbeat) override;
  LinkNews TakeNews() override;

 private:
  uint64_t Post(v1::AgentMessage message);
  void AddReadings(const std::vector<GpuReading>& readings,
                   google::protobuf::RepeatedPtrField<v1::GpuReadings>* messages) const;
  void Read();
  void Write();
  void TakeMessage(const v1::ControllerMessage& message);
  void Break(const std::string& why);
  void Signal() const;

  // A stub with the current certificate: the one that opened this connection may have expired.
  std::shared_ptr<v1::NodeLink::Stub> StubForTunnel();

  const LinkParts parts_;
  std::string certificate_;  // presented by tunnel_stub_; empty: none
  std::shared_ptr<v1::NodeLink::Stub> stub_;
  std::shared_ptr<v1::NodeLink::Stub> tunnel_stub_;  // used by the reader thread only
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::AgentMessage, v1::ControllerMessage>> stream_;

  std::mutex mutex_;
  std::condition_variable filled_;
  Outgoing<v1::AgentMessage> outgoing_;
  uint64_t last_number_ = 0;
  bool closed_ = false;
  LinkNews news_;
  std::thread reader_;
  std::thread writer_;
};

}  // namespace gp
