#pragma once

// What agents may request of the controller: to join, then to report and to receive their desired
// state.  The transport keeps the messages of one connection in order.

#include <cstdint>
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
  uint64_t acknowledged = 0;  // newest message that is durable; 0: no new one since the last call
  Duration lease_time;        // with `acknowledged`
  std::optional<NodeDesiredState> desired;  // complete; absent: unchanged
  std::vector<uint64_t> channels;           // the agent is to open these
};

// One agent's connection, as the controller serves it.  One thread delivers the agent's messages;
// another one may wait for news to send.
class NodeExchange {
 public:
  virtual ~NodeExchange() = default;

  virtual NodeId node() const = 0;
  // Takes a message and returns at once; it is acknowledged when it is durable.  An error ends the
  // connection.
  virtual Status Hear(uint64_t number, AgentReport report) = 0;
  virtual Status Hear(uint64_t number, GpuNews news) = 0;
  // Blocks until there is news.  nullopt: the connection is over.
  virtual std::optional<ControllerNews> AwaitNews() = 0;
  // The same without waiting; empty if there is no news.
  virtual std::optional<ControllerNews> TakeNews() = 0;
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

// The controller's side of its agents' connections.  Any thread may call it.
class NodeGateway {
 public:
  virtual ~NodeGateway() = default;

  // Blocks until the join is durable.  An earlier connection of the node ends.
  virtual Result<Joined> Join(uint64_t number, JoinNode join) = 0;
  // Asks the node's agent to open a channel.  Errors: kUnavailable (the agent is not connected).
  virtual Status OpenChannel(NodeId node, uint64_t channel) = 0;
};

}  // namespace gp
