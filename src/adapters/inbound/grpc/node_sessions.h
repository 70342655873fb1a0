#pragma once

// The agents that are connected now, what each is to be told next, and the channels (logs, exec)
// that they are asked to open.

#include <grpcpp/server_context.h>
#include <grpcpp/support/sync_stream.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "domain/node/orders.h"
#include "gpu_platform/v1/node.grpc.pb.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// One connected agent.  The stream's reading thread and the writer's thread fill it; its own
// writing thread empties it.
class NodeSession {
 public:
  // The next message for the agent; nullopt: the session is over.
  std::optional<v1::ControllerMessage> NextMessage();

  void Answer(uint64_t number, int64_t lease_time_ms);
  void SetOrders(const NodeOrders& orders);
  void Open(const v1::OpenChannel& channel);
  void Close();

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  v1::ControllerMessage next_;
  bool pending_ = false;
  bool closed_ = false;
  uint64_t revision_ = 0;
};

// A tunnel from an agent, handed to whoever asked for it.
class Channel {
 public:
  using Stream = grpc::ServerReaderWriter<v1::TunnelFrame, v1::TunnelFrame>;

  // For the one who asked: waits for the agent's tunnel.  nullptr: it did not come in time.
  Stream* WaitForStream(Duration timeout);
  // For the tunnel's thread: hands it over and waits until the asker is done with it.
  void Attach(Stream* stream, grpc::ServerContext* context);
  // Breaks the tunnel: whoever reads or writes it sees its end.
  void Break();
  void Finish();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Stream* stream_ = nullptr;
  grpc::ServerContext* context_ = nullptr;
  bool finished_ = false;
};

class NodeSessions : public CommitObserver {
 public:
  // Replaces an earlier session of the node.
  std::shared_ptr<NodeSession> Begin(NodeId node);
  void End(NodeId node, const std::shared_ptr<NodeSession>& session);

  // Asks the node's agent for a channel.  kUnavailable: the agent is not connected.
  Result<std::shared_ptr<Channel>> Open(NodeId node, v1::OpenChannel order);
  // The channel that a tunnel names; nullptr: nobody waits for it any more.
  std::shared_ptr<Channel> Claim(uint64_t channel);

  void SetReadings(NodeId node, std::vector<v1::GpuReadings> readings, Instant at);
  struct Readings {
    std::vector<v1::GpuReadings> gpus;
    Instant at;
  };
  std::optional<Readings> ReadingsOf(NodeId node) const;

  // What jobs of the node say of themselves; decisions do not depend on it.
  void SetProgress(NodeId node, std::vector<v1::LeaseProgress> progress);
  std::optional<v1::LeaseProgress> ProgressOf(NodeId node, LeaseId lease) const;

  void OnCommit(const State& state, const std::vector<Event>& events) override;

 private:
  mutable std::mutex mutex_;
  std::map<NodeId, std::shared_ptr<NodeSession>> sessions_;
  std::map<uint64_t, std::weak_ptr<Channel>> channels_;
  std::map<NodeId, Readings> readings_;
  std::map<NodeId, std::vector<v1::LeaseProgress>> progress_;
  uint64_t last_channel_ = 0;
};

}  // namespace gp
