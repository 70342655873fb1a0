#pragma once

// The channels (logs, exec) that agents are asked to open, and what each agent last said beside its
// reports.

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "adapters/inbound/api/streams.h"
#include "gpu_platform/v1/node.pb.h"
#include "ports/inbound/node_gateway.h"

namespace gp {

namespace v1 = gpu_platform::v1;

using Tunnel = Conversation<v1::TunnelFrame, v1::TunnelFrame>;

// A tunnel from an agent, handed to whoever asked for it.
class Channel {
 public:
  // For the one who asked: waits for the agent's tunnel.  nullptr: it did not come in time.
  Tunnel* WaitForTunnel(Duration timeout);
  // For the tunnel's thread: hands it over and waits until the asker is done with it.
  void Attach(Tunnel& tunnel);
  // Breaks the tunnel: whoever reads or writes it sees its end.
  void Break();
  void Finish();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Tunnel* tunnel_ = nullptr;
  bool finished_ = false;
};
class NodeChannels {
 public:
  explicit NodeChannels(NodeGateway& nodes) : nodes_(nodes) {}

  // Asks the node's agent for a channel.  kUnavailable: the agent is not connected.
  Result<std::shared_ptr<Channel>> Open(NodeId node, v1::OpenChannel order);
  // Of a channel that an agent is to be told of; nullopt: nobody waits for it any more.
  std::optional<v1::OpenChannel> OrderOf(uint64_t channel) const;
  // The channel that a tunnel names; nullptr: nobody waits for it any more.
  std::shared_ptr<Channel> Claim(uint64_t channel);

 private:
  struct Ordered {
    v1::OpenChannel order;
    std::weak_ptr<Channel> channel;
  };
  NodeGateway& nodes_;
  mutable std::mutex mutex_;
  std::map<uint64_t, Ordered> ordered_;
};

// What is older than three reports of a node says nothing of now.
inline constexpr Duration kReportStaleAfter = Duration::Seconds(6);
// Ages the readings of a report by the time since it came: stale values are left out and marked
// stale.
void AgeReadings(Duration since_report, v1::GpuReadings* readings);

// The newest readings of each node's GPUs.  A GPU is known by its UUID, which is in its readings:
// those without one are nobody's.
class NodeReadings {
 public:
  struct Latest {
    std::map<std::string, v1::GpuReadings> gpus;  // by UUID
    Instant at;
  };
  void Set(NodeId node, std::vector<v1::GpuReadings> readings, Instant at);
  std::optional<Latest> Of(NodeId node) const;

 private:
  mutable std::mutex mutex_;
  std::map<NodeId, Latest> latest_;
};

// What jobs of each node say of themselves; decisions do not depend on it.
class NodeProgress {
 public:
  void Set(NodeId node, std::vector<v1::LeaseProgress> progress);
  std::optional<v1::LeaseProgress> Of(NodeId node, LeaseId lease) const;

 private:
  mutable std::mutex mutex_;
  std::map<NodeId, std::vector<v1::LeaseProgress>> latest_;
};

}  // namespace gp
