#include "application/replication/lead/lead_keeper.h"

#include <chrono>

namespace gp {
namespace {

constexpr int64_t kTimesInALease = 4;

}  // namespace

LeadKeeper::LeadKeeper(LeaderKey& key, std::function<void()> deposed)
    : key_(key), deposed_(std::move(deposed)), thread_([this] { Run(); }) {}

LeadKeeper::~LeadKeeper() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

// Without an answer nothing is known, and the store may keep the lease or not.
void LeadKeeper::Run() {
  const std::chrono::nanoseconds every(key_.lease_time().ns / kTimesInALease);
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, every, [this] { return ends_; })) {
    lock.unlock();
    const Result<bool> keeps = key_.Keep();
    if (keeps && !*keeps) return deposed_();
    lock.lock();
  }
}

}  // namespace gp
