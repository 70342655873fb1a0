#include "cmd/watch/watch_calls.h"

namespace gp {

WatchCalls::WatchCalls(std::string place) : line_(std::move(place)), thread_([this] { Work(); }) {}

WatchCalls::~WatchCalls() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  line_.Cancel();
  news_.notify_all();
  thread_.join();
}

void WatchCalls::Ask(const WatchRequest& request) {
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }
  news_.notify_all();
}

std::optional<WatchAnswer> WatchCalls::Take() {
  const std::lock_guard lock(mutex_);
  if (answers_.empty()) return std::nullopt;
  WatchAnswer answer = std::move(answers_.front());
  answers_.pop_front();
  return answer;
}

void WatchCalls::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    news_.wait(lock, [this] { return is_over_ || !requests_.empty(); });
    if (is_over_) return;
    const WatchRequest request = requests_.front();
    requests_.pop_front();
    lock.unlock();
    Result<std::string> text = Perform(request, line_);
    lock.lock();
    answers_.push_back({request, std::move(text)});
  }
}

}  // namespace gp
