#include "adapters/inbound/grpc/work_queue.h"

#include <utility>

namespace gp {

WorkQueue::WorkQueue(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

WorkQueue::~WorkQueue() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  filled_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkQueue::Add(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
  }
  filled_.notify_one();
}

void WorkQueue::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    filled_.wait(lock, [this] { return ends_ || !work_.empty(); });
    if (ends_) return;
    std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // what it holds may be large
    lock.lock();
  }
}

}  // namespace gp
