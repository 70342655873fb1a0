#include "application/control/node_connections.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "application/control/heartbeats.h"
#include "domain/cluster/decide/decide.h"
#include "domain/cluster/nodes/image_keys.h"
#include "domain/cluster/nodes/node_hardware.h"

namespace gp {
namespace {

// `node`: nullopt: any.
bool HasJoined(std::span<const Event> events, std::optional<NodeId> node = {}) {
  return std::ranges::any_of(events, [node](const Event& event) {
    const auto* joined = std::get_if<NodeJoined>(&event);
    return joined != nullptr && (!node || joined->node == *node);
  });
}

// The node whose agent must join again because of the event; the answer then gives the reason.
std::optional<NodeId> NodeToDisconnect(const State& state, const Event& event) {
  if (const auto* moved = std::get_if<GpuMoved>(&event)) return moved->from.node;
  const auto* revoked = std::get_if<NodeRevoked>(&event);
  if (revoked == nullptr) return std::nullopt;
  const auto node = state.nodes.by_name.find(revoked->name);
  return node == state.nodes.by_name.end() ? std::nullopt : std::optional(node->second);
}

}  // namespace

class NodeConnections::Exchange : public NodeExchange {
 public:
  Exchange(NodeConnections& all, NodeId node, uint64_t incarnation, uint64_t epoch,
           GpuPlaces places)
      : all_(all),
        node_(node),
        incarnation_(incarnation),
        places_(std::move(places)),
        outbox_(all.Begin(node, epoch, places_)) {}

  // The answer to the join, on the writer's thread: no commit comes between reading the desired
  // state and sending it.
  void Begin(uint64_t number, const State& state) {
    outbox_->SetDesiredState(DesiredStateFor(state, node_));
    outbox_->Acknowledge(number, state.policy.lease_time,
                         HeartbeatEvery(state.policy.lease_time, all_.connected_));
  }

  NodeId node() const override { return node_; }
  Status Hear(uint64_t number, AgentReport report) override {
    places_.ToLedger(report.leases);
    places_.ToLedger(report.gpus);
    ReportNode command{node_, incarnation_, std::move(report.leases), std::move(report.gpus), {}};
    if (report.images) command.images = NewImageKeys(*report.images);
    return Post(number, std::move(command));
  }
  Status Hear(uint64_t number, GpuNews news) override {
    places_.ToLedger(news.signals);
    places_.ToLedger(news.results);
    return Post(number,
                ReportGpus{node_, incarnation_, std::move(news.signals), std::move(news.results)});
  }
  void HearHeartbeat(uint64_t number) override {
    const bool renews = all_.gateway_.Renew(node_);
    // Alone, the transport takes the answer after this call.
    if (all_.gateway_.IsAlone()) return outbox_->AnswerHeartbeat(number, renews);
    all_.gateway_.WhenProvenSoon([outbox = outbox_, number, renews] {
      outbox->AnswerHeartbeat(number, renews);
      outbox->Wake();
    });
  }
  std::optional<ControllerNews> TakeNews() override { return outbox_->Take(); }
  void WhenNews(WakeTransport wake) override { outbox_->WhenFilled(std::move(wake)); }
  void End() override { all_.End(node_, outbox_); }

 private:
  // nullopt: they are what they were at the last report.
  std::optional<std::vector<uint64_t>> NewImageKeys(const std::vector<HeldImage>& images) {
    std::vector<uint64_t> keys;
    for (const HeldImage& held : images) {
      for (const uint64_t key : KeysOfHeldImage(held.name, held.digest)) keys.push_back(key);
    }
    std::ranges::sort(keys);
    if (image_keys_ == keys) return std::nullopt;
    image_keys_ = keys;
    return keys;
  }
  Status Post(uint64_t number, Command command) {
    all_.gateway_.HeardFrom(node_);
    return all_.gateway_.Post("node:" + std::to_string(node_.value), std::move(command),
                              [&all = all_, outbox = outbox_, node = node_, number](
                                  const Outcome& outcome, const State& state) {
                                all.Answer(number, node, outcome, state, outbox);
                              });
  }

  NodeConnections& all_;
  const NodeId node_;
  const uint64_t incarnation_;
  const GpuPlaces places_;
  const std::shared_ptr<NodeOutbox> outbox_;
  std::optional<std::vector<uint64_t>> image_keys_;
};

Status NodeConnections::Join(uint64_t number, JoinNode join, WhenJoined joined) {
  const auto kept = std::make_shared<const JoinNode>(std::move(join));
  return gateway_.Post(
      "node:" + kept->facts->name, *kept,
      [this, number, kept, joined = std::move(joined)](const Outcome& outcome, const State& state) {
        if (HasJoined(outcome.events)) return joined(AnswerJoin(number, *kept, outcome, state));
        // It may tell the agent to end all attempts.
        if (!outcome.status)
          return gateway_.WhenProven(
              [joined, answer = AnswerJoin(number, *kept, outcome, state)] { joined(answer); });
        // A refusal that is noted in an incident is a command that succeeds without a join; the
        // rules give the reason when they decide the join again.
        if (const Status again = Join(number, *kept, joined); !again) joined(Fail(again.error()));
      });
}

Result<Joined> NodeConnections::AnswerJoin(uint64_t number, const JoinNode& join,
                                           const Outcome& outcome, const State& state) {
  Joined joined;
  if (!outcome.status && !IsOfLineage(state, join)) {
    joined.foreign_to = state.lineage;
    return joined;
  }
  GP_CHECK_OK(outcome.status);
  const std::string& name = join.facts->name;
  const Node& node = *state.FindNode(state.nodes.by_name.at(name));
  NoteHeldBack(node, join.facts);
  if (IsOutOfDate(state, node, *join.facts))
    return Fail(Unavailable("the hardware of node " + name + " can be updated: join again"));
  gateway_.HeardFrom(node.id);
  const auto exchange = std::make_shared<Exchange>(*this, node.id, join.incarnation, state.epoch,
                                                   GpuPlaces(*node.facts, *join.facts));
  exchange->Begin(number, state);
  joined.exchange = exchange;
  return joined;
}

// Acknowledged only when durable, because the agent forgets acknowledged messages.
void NodeConnections::Answer(uint64_t number, NodeId node, const Outcome& outcome,
                             const State& state, const std::shared_ptr<NodeOutbox>& outbox) const {
  // The connection is stale, because a newer agent has joined; this one must join again, or stop.
  if (!outcome.status) return outbox->Close();
  // News of its GPUs do not bring a lost node back; a join does.
  if (state.FindNode(node)->condition == NodeCondition::kLost) return outbox->Close();
  const auto acknowledge = [outbox, number, lease_time = state.policy.lease_time,
                            every = HeartbeatEvery(state.policy.lease_time, connected_)] {
    outbox->Acknowledge(number, lease_time, every);
  };
  // It renews the node's leases.  A record proves the lead, because only the leader can append.
  outcome.events.empty() ? gateway_.WhenProvenSoon(acknowledge) : acknowledge();
}

std::shared_ptr<NodeOutbox> NodeConnections::Begin(NodeId node, uint64_t epoch, GpuPlaces places) {
  auto outbox = std::make_shared<NodeOutbox>(epoch, std::move(places));
  const std::lock_guard lock(mutex_);
  std::shared_ptr<NodeOutbox>& current = outboxes_[node];
  if (current != nullptr) current->Close();
  current = outbox;
  connected_ = outboxes_.size();
  return outbox;
}

void NodeConnections::End(NodeId node, const std::shared_ptr<NodeOutbox>& outbox) {
  outbox->Close();
  const std::lock_guard lock(mutex_);
  const auto current = outboxes_.find(node);
  if (current != outboxes_.end() && current->second == outbox) outboxes_.erase(current);
  connected_ = outboxes_.size();
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

void NodeConnections::OnCommit(const State& state, const CommittedRecords& committed) {
  const std::vector<Event>& events = committed.events;
  const auto has_ended = [](const Event& event) {
    return std::holds_alternative<LeaseEnded>(event);
  };
  if (std::ranges::any_of(events, has_ended)) AskToJoinAgain(state);
  for (const NodeId node : NodesToUpdate(state, events)) {
    if (const auto outbox = OutboxOf(node)) outbox->SetDesiredState(DesiredStateFor(state, node));
  }
  for (auto event = events.begin(); event != events.end(); ++event) {
    const std::optional<NodeId> node = NodeToDisconnect(state, *event);
    // A connection that began after the event, in the same batch, stays.
    if (!node || HasJoined({event, events.end()}, *node)) continue;
    if (const auto outbox = OutboxOf(*node)) outbox->Close();
  }
}

}  // namespace gp
