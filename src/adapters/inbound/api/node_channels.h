#pragma once

// The channels (logs, exec, images) that agents open on request, and the latest readings, progress
// and images of each node.

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "adapters/inbound/api/streams/streams.h"
#include "gpu_platform/v1/node.pb.h"
#include "ports/inbound/node_gateway.h"
#include "ports/outbound/held_image.h"

namespace gp {

namespace v1 = gpu_platform::v1;

using Tunnel = Conversation<v1::TunnelFrame, v1::TunnelFrame>;

// Hands an agent's tunnel to the thread that requested it.  Any thread.
class Channel {
 public:
  // The requester waits for the agent's tunnel.  nullptr: it did not come in time.
  Tunnel* WaitForTunnel(Duration timeout);
  // The tunnel's thread hands it over and waits until the requester calls Finish.
  void Attach(Tunnel& tunnel);
  // Breaks the tunnel: reads and writes on it fail.
  void Break();
  void Finish();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Tunnel* tunnel_ = nullptr;
  bool finished_ = false;
};

// Waits for the agent's tunnel.  Finishes the channel if none comes.
Result<Tunnel*> AwaitTunnel(Channel& channel);

// The channels that users have requested and agents have not opened yet.  Any thread.
class NodeChannels {
 public:
  explicit NodeChannels(NodeGateway& nodes) : nodes_(nodes) {}

  // Asks the node's agent for a channel.  kUnavailable: the agent is not connected.
  Result<std::shared_ptr<Channel>> Open(NodeId node, v1::OpenChannel order);
  // The request to send to the agent; nullopt: nobody waits for the channel any more.
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

// Readings older than three reports of a node are stale.
inline constexpr Duration kReportStaleAfter = Duration::Seconds(6);
// Adds the time since the report to the age of its readings.  Stale readings lose their values and
// are marked stale.
void AgeReadings(Duration since_report, v1::GpuReadings* readings);

// The newest readings of each node's GPUs, by the UUID in the readings; readings without a UUID are
// dropped.  Any thread.
class NodeReadings {
 public:
  struct Latest {
    std::map<std::string, v1::GpuReadings> gpus;  // by UUID
    Instant at;
  };
  void Set(NodeId node, std::vector<v1::GpuReadings> readings, Instant at);
  // They are about the same now.
  void Confirm(NodeId node, Instant at);
  std::optional<Latest> Of(NodeId node) const;

 private:
  mutable std::mutex mutex_;
  std::map<NodeId, Latest> latest_;
};

// The progress that jobs of each node report; decisions do not depend on it.  Any thread.
class NodeProgress {
 public:
  void Set(NodeId node, std::vector<v1::LeaseProgress> progress);
  std::optional<v1::LeaseProgress> Of(NodeId node, LeaseId lease) const;

 private:
  mutable std::mutex mutex_;
  std::map<NodeId, std::vector<v1::LeaseProgress>> latest_;
};

// The images that each node holds, as its agent last said; decisions do not depend on it.  Any
// thread.
class NodeImages {
 public:
  // Keeps as many of them as an agent may report, and makes their names short and safe to show:
  // agents may say anything.
  void Set(NodeId node, const v1::HeldImages& images);
  v1::HeldImages Of(NodeId node) const;

 private:
  mutable std::mutex mutex_;
  std::map<NodeId, v1::HeldImages> latest_;
};

}  // namespace gp
