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

namespace gp {

namespace v1 = gpu_platform::v1;

// One connection of an agent to its controller, from the join until it breaks.  The owner's thread
// makes all calls; they do not wait for the network.
class LinkConnection {
 public:
  LinkConnection(const NodeCredentials& credentials, ChannelGateway* channels, int event_fd,
                 v1::AgentMessage join);
  ~LinkConnection();

  uint64_t Send(v1::AgentMessage message);
  LinkNews TakeNews();

 private:
  void Read();
  void Write();
  void TakeMessage(const v1::ControllerMessage& message);
  void Break(const std::string& why);
  void Signal() const;

  // A stub with the current certificate: the one that opened this connection may have expired.
  std::shared_ptr<v1::NodeLink::Stub> StubForTunnel();

  const NodeCredentials& credentials_;
  ChannelGateway* channels_;
  const int event_fd_;
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
