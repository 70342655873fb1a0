#include "adapters/inbound/grpc/node_sessions.h"

#include <chrono>

#include "adapters/wire/node_link.h"

namespace gp {

std::optional<v1::ControllerMessage> NodeSession::NextMessage() {
  std::unique_lock lock(mutex_);
  filled_.wait(lock, [this] { return pending_ || closed_; });
  if (closed_) return std::nullopt;
  pending_ = false;
  v1::ControllerMessage message = std::move(next_);
  next_.Clear();
  return message;
}

void NodeSession::Answer(uint64_t number, int64_t lease_time_ms) {
  {
    const std::lock_guard lock(mutex_);
    next_.set_answers(number);
    next_.set_lease_time_ms(lease_time_ms);
    pending_ = true;
  }
  filled_.notify_one();
}

void NodeSession::SetOrders(const NodeOrders& orders) {
  {
    const std::lock_guard lock(mutex_);
    next_.clear_orders();
    ToProto(orders, next_.mutable_orders());
    next_.mutable_orders()->set_revision(++revision_);
    pending_ = true;
  }
  filled_.notify_one();
}

void NodeSession::Open(const v1::OpenChannel& channel) {
  {
    const std::lock_guard lock(mutex_);
    *next_.add_channels() = channel;
    pending_ = true;
  }
  filled_.notify_one();
}

void NodeSession::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  filled_.notify_one();
}

Channel::Stream* Channel::WaitForStream(Duration timeout) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::nanoseconds(timeout.ns), [this] { return stream_ != nullptr; });
  return stream_;
}

void Channel::Attach(Stream* stream, grpc::ServerContext* context) {
  std::unique_lock lock(mutex_);
  if (finished_) return;
  stream_ = stream;
  context_ = context;
  changed_.notify_all();
  changed_.wait(lock, [this] { return finished_; });
}

void Channel::Break() {
  const std::lock_guard lock(mutex_);
  if (context_ != nullptr && !finished_) context_->TryCancel();
}

void Channel::Finish() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_all();
}

std::shared_ptr<NodeSession> NodeSessions::Begin(NodeId node) {
  auto session = std::make_shared<NodeSession>();
  const std::lock_guard lock(mutex_);
  std::shared_ptr<NodeSession>& current = sessions_[node];
  if (current != nullptr) current->Close();
  current = session;
  return session;
}

void NodeSessions::End(NodeId node, const std::shared_ptr<NodeSession>& session) {
  session->Close();
  const std::lock_guard lock(mutex_);
  const auto current = sessions_.find(node);
  if (current != sessions_.end() && current->second == session) sessions_.erase(current);
}

Result<std::shared_ptr<Channel>> NodeSessions::Open(NodeId node, v1::OpenChannel order) {
  const std::lock_guard lock(mutex_);
  const auto session = sessions_.find(node);
  if (session == sessions_.end()) return Fail(Unavailable("the node's agent is not connected"));
  std::erase_if(channels_, [](const auto& entry) { return entry.second.expired(); });
  auto channel = std::make_shared<Channel>();
  order.set_channel(++last_channel_);
  channels_[last_channel_] = channel;
  session->second->Open(order);
  return channel;
}

std::shared_ptr<Channel> NodeSessions::Claim(uint64_t channel) {
  const std::lock_guard lock(mutex_);
  const auto found = channels_.find(channel);
  if (found == channels_.end()) return nullptr;
  auto claimed = found->second.lock();
  channels_.erase(found);
  return claimed;
}

void NodeSessions::SetReadings(NodeId node, std::vector<v1::GpuReadings> readings, Instant at) {
  const std::lock_guard lock(mutex_);
  readings_[node] = {std::move(readings), at};
}

void NodeSessions::SetProgress(NodeId node, std::vector<v1::LeaseProgress> progress) {
  const std::lock_guard lock(mutex_);
  progress_[node] = std::move(progress);
}

std::optional<v1::LeaseProgress> NodeSessions::ProgressOf(NodeId node, LeaseId lease) const {
  const std::lock_guard lock(mutex_);
  const auto found = progress_.find(node);
  if (found == progress_.end()) return std::nullopt;
  const auto one = std::ranges::find(found->second, lease.value, &v1::LeaseProgress::lease);
  return one == found->second.end() ? std::nullopt : std::optional(*one);
}

std::optional<NodeSessions::Readings> NodeSessions::ReadingsOf(NodeId node) const {
  const std::lock_guard lock(mutex_);
  const auto found = readings_.find(node);
  return found == readings_.end() ? std::nullopt : std::optional(found->second);
}

void NodeSessions::OnCommit(const State& state, const std::vector<Event>& events) {
  for (const NodeId node : NodesToOrder(state, events)) {
    std::shared_ptr<NodeSession> session;
    {
      const std::lock_guard lock(mutex_);
      const auto found = sessions_.find(node);
      if (found == sessions_.end()) continue;
      session = found->second;
    }
    session->SetOrders(OrdersFor(state, node));
  }
}

}  // namespace gp
