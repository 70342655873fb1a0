#pragma once

// What agents may request of the controller: to join, then to report and to receive their desired
// state.  The transport keeps the messages of one connection in order.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/node/desired_state.h"
#include "ports/outbound/control_link.h"

namespace gp {

// What the controller has to send to an agent.
struct ControllerNews {
  uint64_t epoch = 0;         // of this controller
  uint64_t acknowledged = 0;  // newest message that is durable; 0: no new one since the last call
  uint64_t heartbeat = 0;     // newest heartbeat that was heard; 0: no new one
  bool wants_report = false;  // the heartbeat renewed nothing, because the node counts as lost
  Duration lease_time;        // of the leases that `acknowledged` or `heartbeat` renews
  Duration heartbeat_every;   // with `acknowledged`: the agent's period
  std::optional<NodeDesiredState> desired;  // complete; absent: unchanged
  std::vector<uint64_t> channels;           // the agent is to open these

  bool empty() const { return acknowledged == 0 && heartbeat == 0 && !desired && channels.empty(); }
};

// Lets the transport go on.  `is_over`: the transport is to end the connection, even if the agent
// does not read what is being written.
using WakeTransport = std::function<void(bool is_over)>;

// One agent's connection, as the controller serves it.  The transport delivers the agent's messages
// one after another, and sends the news; it may do both at the same time.
class NodeExchange {
 public:
  virtual ~NodeExchange() = default;

  virtual NodeId node() const = 0;
  // Takes a message and returns at once; it is acknowledged when it is durable.  An error ends the
  // connection.
  virtual Status Hear(uint64_t number, AgentReport report) = 0;
  virtual Status Hear(uint64_t number, GpuNews news) = 0;
  // Takes a heartbeat.  Its answer is in the next TakeNews at once; nobody is woken for it.
  virtual void HearHeartbeat(uint64_t number) = 0;
  // Empty if there is no news; nullopt: the connection is over.
  virtual std::optional<ControllerNews> TakeNews() = 0;
  // `wake` runs whenever there is news, and once with `is_over`: on any thread, also on the
  // writer's, and within this call if either is so already.  It must return at once.
  virtual void WhenNews(WakeTransport wake) = 0;
  // The connection is over.  The transport must end every exchange.
  virtual void End() = 0;
};

// The answer to a join.
struct Joined {
  // Not 0: refused, because the node holds attempts of another journal.  The agent must end them
  // and take this lineage.
  uint64_t foreign_to = 0;
  std::shared_ptr<NodeExchange> exchange;
};

using WhenJoined = std::function<void(Result<Joined>)>;

// The controller's side of its agents' connections.  Any thread may call it.
class NodeGateway {
 public:
  virtual ~NodeGateway() = default;

  // Queues the join and returns at once; `joined` runs when the join is durable or refused, on the
  // writer's thread or the one that proves the lead.  An earlier connection of the node ends.
  // Errors: kUnavailable (inbox full); then `joined` does not run.
  virtual Status Join(uint64_t number, JoinNode join, WhenJoined joined) = 0;
  // The answer to a probe: which controller this is.
  virtual ControllerEpoch Probe() const = 0;
  // Asks the node's agent to open a channel.  Errors: kUnavailable (the agent is not connected).
  virtual Status OpenChannel(NodeId node, uint64_t channel) = 0;
};

}  // namespace gp
