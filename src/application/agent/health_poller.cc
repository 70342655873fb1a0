#include "application/agent/health_poller.h"

#include <chrono>

namespace gp {

HealthPoller::HealthPoller(GpuDriver& driver, Clock& clock, Duration interval)
    : driver_(driver), clock_(clock), interval_(interval), read_at_ns_(clock.BootNs()) {
  thread_ = std::thread([this] { Run(); });
}

HealthPoller::~HealthPoller() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

HealthReading HealthPoller::Latest() const {
  const std::lock_guard lock(mutex_);
  return {gpus_, clock_.BootNs() - read_at_ns_, error_};
}

void HealthPoller::Run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    auto health = driver_.Health();
    lock.lock();
    if (health) {
      gpus_ = *std::move(health);
      read_at_ns_ = clock_.BootNs();
      error_.clear();
    } else {
      error_ = health.error().message;
    }
    wake_.wait_for(lock, std::chrono::nanoseconds(interval_.ns), [this] { return stopping_; });
  }
}

}  // namespace gp
