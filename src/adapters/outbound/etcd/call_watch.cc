#include "adapters/outbound/etcd/call_watch.h"

#include <algorithm>
#include <utility>

namespace gp {

CallWatch::CallWatch(std::chrono::milliseconds most, std::function<void()> stuck)
    : most_(most), stuck_(std::move(stuck)) {
  if (stuck_) thread_ = std::thread([this] { Run(); });
}

CallWatch::~CallWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

uint64_t CallWatch::Begin() {
  const std::lock_guard lock(mutex_);
  begun_[++last_] = Clock::now();
  return last_;
}

void CallWatch::End(uint64_t number) {
  const std::lock_guard lock(mutex_);
  begun_.erase(number);
}

// Looks several times in the time that a call may take: calls need not wake it.  While the process
// is suspended nothing ends; that time does not count.
void CallWatch::Run() {
  std::unique_lock lock(mutex_);
  const auto every = std::max(most_ / 8, std::chrono::milliseconds(1));
  auto looked = Clock::now();
  while (!changed_.wait_for(lock, every, [this] { return ends_; })) {
    const auto now = Clock::now();
    if (now - std::exchange(looked, now) > most_ / 2)
      for (auto& [number, begun] : begun_) begun = now;
    if (begun_.empty() || now - begun_.begin()->second <= most_) continue;
    lock.unlock();
    return stuck_();
  }
}

}  // namespace gp
