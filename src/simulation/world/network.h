#pragma once

// What lies between agents and their controller.  Messages of one connection and direction come in
// order, or not at all; connections break, each end learns of it in its own time, and what was
// under way may still arrive.

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
#include "simulation/world/timeline.h"

namespace gp {

struct AgentMessage {
  uint64_t number = 0;
  std::variant<JoinNode, AgentReport, GpuNews> what;
};

// One connection, from its join to the end of both its ends.
struct Connection {
  size_t host = 0;
  uint64_t controller = 0;  // the number of the process that it leads to
  bool agent_open = true;
  bool controller_open = true;
  Outgoing<AgentMessage> outgoing;  // on the agent's side, not yet sent
  uint64_t last_number = 0;
  Instant up_clear;  // when the last message on its way arrives
  Instant down_clear;
  Instant busy_until;  // when the controller's end was last busy
  bool will_tell = false;
  LinkNews news;  // at the agent, not yet taken
  std::shared_ptr<NodeExchange> exchange;
};
using ConnectionRef = std::shared_ptr<Connection>;

// The controller's machine, as the network reaches it.
class ConnectionServer {
 public:
  virtual ~ConnectionServer() = default;
  virtual uint64_t process() const = 0;  // 0: it is down
  virtual void Receive(const ConnectionRef& connection, AgentMessage message) = 0;
  // Nothing more comes on it.
  virtual void Ended(const ConnectionRef& connection) = 0;
};

class Network {
 public:
  // `wake`: something has come for the agent of a host.
  Network(size_t hosts, int latency_ms_max, Timeline& timeline, Rng& rng,
          std::function<void(size_t host)> wake);
  void SetServer(ConnectionServer* server) { server_ = server; }

  // Agents.
  ConnectionRef Connect(size_t host, JoinNode join);
  uint64_t Send(const ConnectionRef& connection, std::variant<JoinNode, AgentReport, GpuNews> what);
  void Drop(const ConnectionRef& connection);  // its agent is gone, or has begun another

  // The controller: takes what its exchanges have to tell, and sends it.
  void Tell();
  // `foreign_to`: as in LinkNews.
  void Refuse(const ConnectionRef& connection, const std::string& why, uint64_t foreign_to = 0);
  void ProcessDied();

  // Mishaps of a host.
  void Cut(size_t host, bool up, bool down, Duration lasts);
  void Slow(size_t host, Duration latency, Duration lasts);
  void Double(size_t host, Duration lasts);
  void Break(size_t host);
  void Heal();

 private:
  struct Line {
    Instant up_cut_until;
    Instant down_cut_until;
    Instant slow_until;
    Duration latency;
    Instant doubled_until;
  };
  Instant Arrival(const Line& line, Instant cut_until, Instant& clear);
  void SendNext(const ConnectionRef& connection);
  void Arrive(const ConnectionRef& connection, const AgentMessage& message);
  void TellOne(const ConnectionRef& connection);
  void Deliver(const ConnectionRef& connection, const ControllerNews& news);
  void BreakAgentEnd(const ConnectionRef& connection, const std::string& why);
  void BreakControllerEnd(const ConnectionRef& connection);
  void BreakLater(const ConnectionRef& connection, Duration agent_wait, Duration controller_wait);

  Timeline& timeline_;
  Rng& rng_;
  const std::function<void(size_t)> wake_;
  const int latency_ms_max_;
  ConnectionServer* server_ = nullptr;
  std::vector<Line> lines_;
  std::vector<ConnectionRef> connections_;  // of which an end is open
};

// One agent process's end of the network.
class VirtualLink : public ControlLink {
 public:
  VirtualLink(size_t host, Network& network) : host_(host), network_(network) {}
  ~VirtualLink() override { network_.Drop(connection_); }

  void Connect(const JoinNode& join) override;
  uint64_t Send(const AgentReport& report) override { return network_.Send(connection_, report); }
  uint64_t Send(const GpuNews& news) override { return network_.Send(connection_, news); }
  LinkNews TakeNews() override {
    return connection_ == nullptr ? LinkNews{} : std::exchange(connection_->news, {});
  }
  int EventDescriptor() const override { return -1; }

 private:
  const size_t host_;
  Network& network_;
  ConnectionRef connection_;
};

}  // namespace gp
