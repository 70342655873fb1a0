#include "application/control/node_connections.h"

#include <algorithm>
#include <string>
#include <utility>

#include "domain/cluster/decide/decide.h"
#include "domain/cluster/nodes/node_hardware.h"

namespace gp {
namespace {

// Our lineage, if the node holds attempts of another one; else 0.
Result<uint64_t> ForeignTo(ControlGateway& gateway, const JoinNode& join) {
  uint64_t lineage = 0;
  GP_CHECK_OK(gateway.Read([&](const State& state) {
    if (!IsOfLineage(state, join)) lineage = state.lineage;
  }));
  return lineage;
}

// A refusal that is noted in an incident is a command that succeeds without a join; the rules give
// the reason when they decide the join again.
Status ExecuteJoin(ControlGateway& gateway, const JoinNode& join) {
  const auto is_join = [](const Event& event) { return std::holds_alternative<NodeJoined>(event); };
  Outcome outcome;
  do {
    outcome = gateway.Execute("node:" + join.facts->name, "", join);
  } while (outcome.status && std::ranges::none_of(outcome.events, is_join));
  return outcome.status;
}

}  // namespace

class NodeConnections::Exchange : public NodeExchange {
 public:
  Exchange(NodeConnections& all, NodeId node, uint64_t incarnation, GpuPlaces places)
      : all_(all),
        node_(node),
        incarnation_(incarnation),
        places_(std::move(places)),
        outbox_(all.Begin(node, places_)) {}

  // On the writer's thread, so that no commit comes between reading the desired state and sending
  // it.
  Status Acknowledge(uint64_t number) {
    return all_.gateway_.Read([&](const State& state) {
      lease_time_ = state.policy.lease_time;
      outbox_->SetDesiredState(DesiredStateFor(state, node_));
      outbox_->Acknowledge(number, lease_time_);
    });
  }

  NodeId node() const override { return node_; }
  Status Hear(uint64_t number, AgentReport report) override {
    places_.ToLedger(report.leases);
    places_.ToLedger(report.gpus);
    return Post(number,
                ReportNode{node_, incarnation_, std::move(report.leases), std::move(report.gpus)});
  }
  Status Hear(uint64_t number, GpuNews news) override {
    places_.ToLedger(news.signals);
    places_.ToLedger(news.results);
    return Post(number,
                ReportGpus{node_, incarnation_, std::move(news.signals), std::move(news.results)});
  }
  std::optional<ControllerNews> AwaitNews() override { return outbox_->Await(); }
  std::optional<ControllerNews> TakeNews() override { return outbox_->Take(); }
  void End() override { all_.End(node_, outbox_); }

 private:
  // Acknowledged only when durable, because the agent forgets acknowledged messages.
  Status Post(uint64_t number, Command command) {
    all_.gateway_.HeardFrom(node_);
    return all_.gateway_.Post(
        "node:" + std::to_string(node_.value), std::move(command),
        [outbox = outbox_, number, lease_time = lease_time_](const Outcome& outcome) {
          // The connection is stale, because a newer agent has joined; this one must join again, or
          // stop.
          if (!outcome.status) return outbox->Close();
          outbox->Acknowledge(number, lease_time);
        });
  }

  NodeConnections& all_;
  const NodeId node_;
  const uint64_t incarnation_;
  const GpuPlaces places_;
  const std::shared_ptr<NodeOutbox> outbox_;
  Duration lease_time_;
};

Result<Joined> NodeConnections::Join(uint64_t number, JoinNode join) {
  Joined joined;
  joined.foreign_to = GP_TRY(ForeignTo(gateway_, join));
  if (joined.foreign_to != 0) return joined;
  const std::shared_ptr<const NodeFacts> facts = join.facts;
  const uint64_t incarnation = join.incarnation;
  GP_CHECK_OK(ExecuteJoin(gateway_, join));
  NodeId node;
  GpuPlaces places;
  bool is_out_of_date = false;
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    node = state.nodes.by_name.at(facts->name);
    places = GpuPlaces(*state.FindNode(node)->facts, *facts);
    NoteHeldBack(*state.FindNode(node), facts);
    is_out_of_date = IsOutOfDate(state, *state.FindNode(node), *facts);
  }));
  if (is_out_of_date)
    return Fail(Unavailable("the hardware of node " + facts->name + " can be updated: join again"));
  gateway_.HeardFrom(node);
  auto exchange = std::make_shared<Exchange>(*this, node, incarnation, std::move(places));
  if (const Status acknowledged = exchange->Acknowledge(number); !acknowledged) {
    exchange->End();
    return Fail(acknowledged.error());
  }
  joined.exchange = std::move(exchange);
  return joined;
}

std::shared_ptr<NodeOutbox> NodeConnections::Begin(NodeId node, GpuPlaces places) {
  auto outbox = std::make_shared<NodeOutbox>(std::move(places));
  const std::lock_guard lock(mutex_);
  std::shared_ptr<NodeOutbox>& current = outboxes_[node];
  if (current != nullptr) current->Close();
  current = outbox;
  return outbox;
}

void NodeConnections::End(NodeId node, const std::shared_ptr<NodeOutbox>& outbox) {
  outbox->Close();
  const std::lock_guard lock(mutex_);
  const auto current = outboxes_.find(node);
  if (current != outboxes_.end() && current->second == outbox) outboxes_.erase(current);
}

std::shared_ptr<NodeOutbox> NodeConnections::OutboxOf(NodeId node) const {
  const std::lock_guard lock(mutex_);
  const auto found = outboxes_.find(node);
  return found == outboxes_.end() ? nullptr : found->second;
}

Status NodeConnections::OpenChannel(NodeId node, uint64_t channel) {
  const auto outbox = OutboxOf(node);
  if (outbox == nullptr) return Fail(Unavailable("the node's agent is not connected"));
  outbox->OpenChannel(channel);
  return Ok();
}

// Closes the connection; the node may join again with a valid credential.
void NodeConnections::Disconnect(const State& state, const std::string& name) {
  const auto node = state.nodes.by_name.find(name);
  const auto outbox = node == state.nodes.by_name.end() ? nullptr : OutboxOf(node->second);
  if (outbox != nullptr) outbox->Close();
}

void NodeConnections::NoteHeldBack(const Node& node,
                                   const std::shared_ptr<const NodeFacts>& reported) {
  const std::lock_guard lock(mutex_);
  if (IsHeldBack(node, *reported)) {
    held_back_[node.id] = reported;
  } else {
    held_back_.erase(node.id);
  }
}

// The leases that kept new facts of a node from being applied have ended: its agent must join
// again, which disturbs no job.
void NodeConnections::AskToJoinAgain(const State& state) {
  std::vector<NodeId> due;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, reported] : held_back_) {
      if (IsOutOfDate(state, *state.FindNode(id), *reported)) due.push_back(id);
    }
    for (const NodeId id : due) held_back_.erase(id);
  }
  for (const NodeId id : due) {
    if (const auto outbox = OutboxOf(id)) outbox->Close();
  }
}

void NodeConnections::OnCommit(const State& state, const std::vector<Event>& events) {
  const auto has_ended = [](const Event& event) {
    return std::holds_alternative<LeaseEnded>(event);
  };
  if (std::ranges::any_of(events, has_ended)) AskToJoinAgain(state);
  for (const NodeId node : NodesToUpdate(state, events)) {
    if (const auto outbox = OutboxOf(node)) outbox->SetDesiredState(DesiredStateFor(state, node));
  }
  for (const Event& event : events) {
    if (const auto* revoked = std::get_if<NodeRevoked>(&event)) Disconnect(state, revoked->name);
    // An agent whose GPUs have moved to another node must join again; the answer gives the reason.
    const auto* moved = std::get_if<GpuMoved>(&event);
    if (moved == nullptr) continue;
    if (const auto outbox = OutboxOf(moved->from.node)) outbox->Close();
  }
}

}  // namespace gp
