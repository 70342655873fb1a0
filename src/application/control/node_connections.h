#pragma once

// The agents that are connected now.  Each is served by one exchange at a time, the newest; a
// commit that changes what a node is to hold goes out to it at once, after it is durable.

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "application/control/node_outbox.h"
#include "ports/inbound/control_gateway.h"
#include "ports/inbound/node_gateway.h"

namespace gp {

class NodeConnections : public NodeGateway, public CommitObserver {
 public:
  // The gateway outlives it, and all its exchanges.
  explicit NodeConnections(ControlGateway& gateway) : gateway_(gateway) {}

  Result<Joined> Join(uint64_t number, JoinNode join) override;
  Status OpenChannel(NodeId node, uint64_t channel) override;
  void OnCommit(const State& state, const std::vector<Event>& events) override;

 private:
  class Exchange;
  std::shared_ptr<NodeOutbox> Begin(NodeId node, GpuPlaces places);
  void End(NodeId node, const std::shared_ptr<NodeOutbox>& outbox);
  std::shared_ptr<NodeOutbox> OutboxOf(NodeId node) const;
  void SendAway(const State& state, const std::string& name);
  void NoteHeldBack(const Node& node, const std::shared_ptr<const NodeFacts>& reported);
  void AskToJoinAgain(const State& state);

  ControlGateway& gateway_;
  mutable std::mutex mutex_;
  std::map<NodeId, std::shared_ptr<NodeOutbox>> outboxes_;
  // What agents reported of nodes that are not so yet, for what is held there
  std::map<NodeId, std::shared_ptr<const NodeFacts>> held_back_;
};

}  // namespace gp
