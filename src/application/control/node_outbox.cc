#include "application/control/node_outbox.h"

#include <utility>

namespace gp {

template <typename Change>
void NodeOutbox::Add(Change change) {
  {
    const std::lock_guard lock(mutex_);
    change();
    pending_ = true;
  }
  filled_.notify_one();
}

void NodeOutbox::Acknowledge(uint64_t number, Duration lease_time) {
  Add([&] {
    next_.acknowledged = number;
    next_.lease_time = lease_time;
  });
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

void NodeOutbox::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  filled_.notify_one();
}

ControllerNews NodeOutbox::TakeLocked() {
  pending_ = false;
  return std::exchange(next_, {});
}

std::optional<ControllerNews> NodeOutbox::Await() {
  std::unique_lock lock(mutex_);
  filled_.wait(lock, [this] { return pending_ || closed_; });
  return closed_ ? std::nullopt : std::optional(TakeLocked());
}

std::optional<ControllerNews> NodeOutbox::Take() {
  const std::lock_guard lock(mutex_);
  return closed_ ? std::nullopt : std::optional(TakeLocked());
}

}  // namespace gp
