#pragma once

// The simulated network between agents and their controller.  Messages in one direction of a
// connection arrive in order or not at all.  Connections break; each end notices at its own time,
// and messages in transit may still arrive.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/rng.h"
#include "domain/node/outgoing.h"
#include "ports/inbound/node_gateway.h"
#include "ports/outbound/control_link.h"
#include "ports/outbound/controller_epoch.h"
#include "simulation/world/timeline.h"

namespace gp {

struct Probe {};
using AgentWords = std::variant<Probe, JoinNode, AgentReport, GpuNews, Heartbeat>;

struct AgentMessage {
  uint64_t number = 0;
  AgentWords what;
};

// One connection, from its join until both ends are closed.
struct AgentCircuit {
  size_t host = 0;
  size_t path = 0;
  uint64_t controller = 0;  // number of the controller process at the other end
  bool agent_open = true;
  bool controller_open = true;
  Outgoing<AgentMessage> outgoing;  // messages of the agent that are not sent yet
  uint64_t last_number = 0;
  Instant up_clear;  // when the last message in transit arrives
  Instant down_clear;
  Instant busy_until;  // until then the controller's end is writing a message
  bool will_tell = false;
  LinkNews news;  // received by the agent's host, not yet taken by the agent
  std::shared_ptr<NodeExchange> exchange;
  // What a stray controller at the other end is; epoch 0: it is none.
  ControllerEpoch stray;
};
using ConnectionRef = std::shared_ptr<AgentCircuit>;

// A controller's machine, as seen by the network.
class ConnectionServer {
 public:
  virtual ~ConnectionServer() = default;
  virtual uint64_t process() const = 0;  // 0: it is down
  virtual void Receive(const ConnectionRef& connection, AgentMessage message) = 0;
  // No further message arrives on it.
  virtual void Ended(const ConnectionRef& connection) = 0;
};

// Which paths of a host a mishap concerns.
struct PathSet {
  bool first = true;
  bool others = true;
  bool has(size_t path) const { return path == 0 ? first : others; }
};

// Carries messages between all agents and the controllers, and applies network mishaps.  Each host
// has a path to each controller's machine; if there is one, two paths by two of its addresses.
class Network {
 public:
  // `wake`: called when something has arrived for the agent of a host.
  Network(size_t hosts, size_t controllers, int latency_ms_max, Timeline& timeline, Rng& rng,
          std::function<void(size_t host)> wake);
  // One for each controller.
  void SetServers(std::vector<ConnectionServer*> servers) { servers_ = std::move(servers); }
  size_t paths() const { return paths_; }

  // Called by agents.
  // `followed`: the newest controller that the agent has followed.
  ConnectionRef Connect(size_t host, size_t path, const ControllerEpoch& followed);
  uint64_t Send(const ConnectionRef& connection, AgentWords what);
  // Its agent has ended, or has opened another connection.
  void Drop(const ConnectionRef& connection);

  // Called by the controller: sends what its exchanges have for the agents.
  void Tell();
  void AnswerProbe(const ConnectionRef& connection, const ControllerEpoch& by);
  // `foreign_to`: as in LinkNews.
  void Refuse(const ConnectionRef& connection, const std::string& why, uint64_t foreign_to = 0);
  void ProcessDied(const ConnectionServer* server);

  // Network mishaps of a host.
  void Cut(size_t host, PathSet paths, bool up, bool down, Duration lasts);
  void Slow(size_t host, PathSet paths, Duration latency, Duration lasts);
  void Double(size_t host, Duration lasts);
  void Break(size_t host);
  // A controller that was replaced answers the host on one path: it acknowledges everything, and
  // wants nothing to run.
  void Stray(size_t host, size_t path, Duration lasts);
  void Heal();

 private:
  struct Line {
    Instant up_cut_until;
    Instant down_cut_until;
    Instant slow_until;
    Duration latency;
    Instant doubled_until;
    Instant stray_until;
  };
  Line& LineOf(size_t host, size_t path) { return lines_[paths_ * host + path]; }
  Line& LineOf(const AgentCircuit& connection) { return LineOf(connection.host, connection.path); }
  ConnectionServer* ServerOf(const AgentCircuit& connection) const {
    return servers_[connection.path % servers_.size()];
  }
  Instant Arrival(const Line& line, Instant cut_until, Instant& clear);
  void SendNext(const ConnectionRef& connection);
  void Arrive(const ConnectionRef& connection, const AgentMessage& message);
  void TellOne(const ConnectionRef& connection);
  void Deliver(const ConnectionRef& connection, const ControllerNews& news);
  void AnswerAsStray(const ConnectionRef& connection, const AgentMessage& message);
  void BreakAgentEnd(const ConnectionRef& connection, const std::string& why);
  void BreakControllerEnd(const ConnectionRef& connection);
  void BreakLater(const ConnectionRef& connection, Duration agent_wait, Duration controller_wait);

  Timeline& timeline_;
  Rng& rng_;
  const std::function<void(size_t)> wake_;
  const int latency_ms_max_;
  const size_t paths_;
  std::vector<ConnectionServer*> servers_;
  std::vector<Line> lines_;
  std::vector<ConnectionRef> connections_;  // connections with at least one open end
};

// The agent's end of one connection.
class VirtualConnection : public ControlConnection {
 public:
  VirtualConnection(ConnectionRef connection, Network& network)
      : connection_(std::move(connection)), network_(network) {}
  ~VirtualConnection() override { network_.Drop(connection_); }

  uint64_t Send(const JoinNode& join) override { return network_.Send(connection_, join); }
  uint64_t Send(const AgentReport& report) override { return network_.Send(connection_, report); }
  uint64_t Send(const GpuNews& news) override { return network_.Send(connection_, news); }
  uint64_t Send(const Heartbeat& heartbeat) override {
    return network_.Send(connection_, heartbeat);
  }
  // The controllers of the world do not take them.
  uint64_t Send(const MetricParts&) override { return 0; }
  LinkNews TakeNews() override { return std::exchange(connection_->news, {}); }

 private:
  const ConnectionRef connection_;
  Network& network_;
};

// The agent's end of the network, for one agent process.
class VirtualLink : public ControlLink {
 public:
  // `followed`: the newest controller that the agent has stored as followed.
  VirtualLink(size_t host, Network& network, const ControllerEpoch& followed)
      : addresses_(network.paths(), "controller"),
        host_(host),
        network_(network),
        followed_(followed) {}

  const std::vector<std::string>& addresses() const override { return addresses_; }
  std::unique_ptr<ControlConnection> Connect(size_t address) override {
    return std::make_unique<VirtualConnection>(network_.Connect(host_, address, followed_),
                                               network_);
  }
  int EventDescriptor() const override { return -1; }
  void ClearEvent() override {}

 private:
  const std::vector<std::string> addresses_;
  const size_t host_;
  Network& network_;
  const ControllerEpoch& followed_;
};

}  // namespace gp
