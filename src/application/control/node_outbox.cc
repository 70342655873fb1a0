#include "application/control/node_outbox.h"

#include <algorithm>
#include <utility>

namespace gp {

template <typename Change>
void NodeOutbox::Add(Change change) {
  std::shared_ptr<const WakeTransport> wake;
  {
    const std::lock_guard lock(mutex_);
    change();
    wake = wake_;
  }
  if (wake != nullptr) (*wake)(false);
}

void NodeOutbox::Acknowledge(uint64_t number, Duration lease_time, Duration heartbeat_every) {
  Add([&] {
    // An answer that waited for a proof may come after one to a later message.
    next_.acknowledged = std::max(next_.acknowledged, number);
    next_.lease_time = lease_time_ = lease_time;
    next_.heartbeat_every = heartbeat_every;
  });
}

void NodeOutbox::AnswerHeartbeat(uint64_t number, bool renews) {
  const std::lock_guard lock(mutex_);
  next_.heartbeat = std::max(next_.heartbeat, number);
  next_.wants_report = !renews;
  next_.lease_time = lease_time_;
}

void NodeOutbox::Wake() {
  Add([] {});
}

void NodeOutbox::SetDesiredState(NodeDesiredState desired) {
  places_.ToAgent(desired);
  Add([&] {
    desired.revision = ++revision_;
    next_.desired = std::move(desired);
  });
}

void NodeOutbox::OpenChannel(uint64_t channel) {
  Add([&] { next_.channels.push_back(channel); });
}

// The transport hears of the end once; then it is let go, because it holds this outbox in turn.
void NodeOutbox::Close() {
  std::shared_ptr<const WakeTransport> wake;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    wake = std::exchange(wake_, nullptr);
  }
  if (wake != nullptr) (*wake)(true);
}

std::optional<ControllerNews> NodeOutbox::Take() {
  const std::lock_guard lock(mutex_);
  if (closed_) return std::nullopt;
  ControllerNews news = std::exchange(next_, {});
  news.epoch = epoch_;
  return news;
}

void NodeOutbox::WhenFilled(WakeTransport wake) {
  const auto kept = std::make_shared<const WakeTransport>(std::move(wake));
  bool is_over = false;
  bool has_news = false;
  {
    const std::lock_guard lock(mutex_);
    is_over = closed_;
    has_news = !next_.empty();
    if (!is_over) wake_ = kept;
  }
  if (is_over || has_news) (*kept)(is_over);
}

}  // namespace gp
