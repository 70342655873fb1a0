#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "application/control/node_outbox.h"
#include "ports/inbound/control_gateway.h"
#include "ports/inbound/node_gateway.h"

namespace gp {

// The agents that are connected now.  Each has one exchange at a time, the newest.  A commit that
// changes a node's desired state is sent to the node as soon as it is durable.  Any thread may call
// it; OnCommit runs on the writer's thread.
class NodeConnections : public NodeGateway, public CommitObserver {
 public:
  // The gateway outlives it, and all its exchanges; its writer ends first, because it answers
  // joins.
  explicit NodeConnections(ControlGateway& gateway) : gateway_(gateway) {}

  Status Join(uint64_t number, JoinNode join, WhenJoined joined) override;
  ControllerEpoch Probe() const override { return gateway_.Epoch(); }
  Status OpenChannel(NodeId node, uint64_t channel) override;
  void OnCommit(const State& state, const CommittedRecords& committed) override;

 private:
  class Exchange;
  Result<Joined> AnswerJoin(uint64_t number, const JoinNode& join, const Outcome& outcome,
                            const State& state);
  void Answer(uint64_t number, NodeId node, const Outcome& outcome, const State& state,
              const std::shared_ptr<NodeOutbox>& outbox) const;
  std::shared_ptr<NodeOutbox> Begin(NodeId node, uint64_t epoch, GpuPlaces places);
  void End(NodeId node, const std::shared_ptr<NodeOutbox>& outbox);
  std::shared_ptr<NodeOutbox> OutboxOf(NodeId node) const;
  void NoteHeldBack(const Node& node, const std::shared_ptr<const NodeFacts>& reported);
  void AskToJoinAgain(const State& state);

  ControlGateway& gateway_;
  mutable std::mutex mutex_;
  std::map<NodeId, std::shared_ptr<NodeOutbox>> outboxes_;
  std::atomic<size_t> connected_ = 0;  // the size of outboxes_
  // Reported facts that cannot be applied yet, because of leases on the node
  std::map<NodeId, std::shared_ptr<const NodeFacts>> held_back_;
};

}  // namespace gp
