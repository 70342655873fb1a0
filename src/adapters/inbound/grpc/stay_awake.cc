#include "adapters/inbound/grpc/stay_awake.h"

#include <chrono>

#include "adapters/wire/call_deadline.h"

namespace gp {
namespace {

constexpr std::chrono::milliseconds kEvery{500};

}  // namespace

StayAwake::~StayAwake() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  alarm_.Cancel();
  std::unique_lock lock(mutex_);
  rested_.wait(lock, [this] { return has_rested_; });
}

void StayAwake::SetAlarm() {
  alarm_.Set(DeadlineIn(kEvery), [this](bool) { OnAlarm(); });
}

// Also called when the alarm is cancelled.
void StayAwake::OnAlarm() {
  {
    const std::lock_guard lock(mutex_);
    if (ends_) {
      has_rested_ = true;
      rested_.notify_all();  // under the lock: the owner destroys this object as soon as it may
      return;
    }
  }
  SetAlarm();
}

}  // namespace gp
