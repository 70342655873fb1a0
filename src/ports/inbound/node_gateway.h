#pragma once

// What agents may ask of the controller: to join, and from then on to be heard and to be told what
// they are to hold. Whatever carries the messages keeps those of one connection in order.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/node/desired_state.h"
#include "ports/outbound/control_link.h"

namespace gp {

// What an agent is to be told.
struct ControllerNews {
  uint64_t answered = 0;  // newest message that is durable; 0: none since the last time
  Duration lease_time;    // with `answered`
  std::optional<NodeDesiredState> desired;  // complete; absent: as before
  std::vector<uint64_t> channels;           // that it is asked to open
};

// One agent's connection, as the controller serves it.  One thread brings what the agent says,
// another one may wait for what it is to be told.
class NodeExchange {
 public:
  virtual ~NodeExchange() = default;

  virtual NodeId node() const = 0;
  // Waits for nothing; answered when it is durable.  An error ends the connection.
  virtual Status Hear(uint64_t number, AgentReport report) = 0;
  virtual Status Hear(uint64_t number, GpuNews news) = 0;
  // nullopt: the connection is over.
  virtual std::optional<ControllerNews> AwaitNews() = 0;
  // The same without waiting; empty where there are none.
  virtual std::optional<ControllerNews> TakeNews() = 0;
  // Nothing more comes.  Every exchange must be ended.
  virtual void End() = 0;
};

struct Joined {
  // Not 0: refused, for the node keeps attempts of another journal.  It is to end them and take
  // this lineage.
  uint64_t foreign_to = 0;
  std::shared_ptr<NodeExchange> exchange;
};

class NodeGateway {
 public:
  virtual ~NodeGateway() = default;

  // Blocks until the join is durable.  An earlier connection of the node ends.
  virtual Result<Joined> Join(uint64_t number, JoinNode join) = 0;
  // Asks the node's agent for a channel.  kUnavailable: the agent is not connected.  Any thread.
  virtual Status OpenChannel(NodeId node, uint64_t channel) = 0;
};

}  // namespace gp
