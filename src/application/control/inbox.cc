#include "application/control/inbox.h"

#include <chrono>

namespace gp {

Status Inbox::Push(std::vector<InboxItem> items) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return Fail(Unavailable("the controller is stopping"));
    if (items_.size() + items.size() > items_max_) {
      return Fail(Unavailable("the controller is busy: " + std::to_string(items_.size()) +
                              " requests wait; try again shortly"));
    }
    for (InboxItem& item : items) items_.push_back(std::move(item));
    pushed_ = true;
  }
  filled_.notify_one();
  return Ok();
}

void Inbox::Await(Duration timeout) {
  std::unique_lock lock(mutex_);
  filled_.wait_for(lock, std::chrono::nanoseconds(timeout.ns),
                   [this] { return closed_ || pushed_ || !items_.empty(); });
  pushed_ = false;
}

std::vector<InboxItem> Inbox::Take(size_t max) {
  const std::lock_guard lock(mutex_);
  std::vector<InboxItem> taken;
  while (!items_.empty() && taken.size() < max) {
    taken.push_back(std::move(items_.front()));
    items_.pop_front();
  }
  return taken;
}

void Inbox::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  filled_.notify_all();
}

size_t Inbox::size() const {
  const std::lock_guard lock(mutex_);
  return items_.size();
}

bool Inbox::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

}  // namespace gp
