#include "supervisor/deadline_timer.h"

#include <sys/timerfd.h>
#include <time.h>

#include <algorithm>
#include <cerrno>

#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

int64_t Now(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

int64_t BootNs() { return Now(CLOCK_BOOTTIME); }
int64_t WallNs() { return Now(CLOCK_REALTIME); }

Status DeadlineTimer::Open() {
  timer_.Reset(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer_.valid()) return Fail(SystemError("cannot make a timer", errno));
  return Ok();
}

void DeadlineTimer::Set(int64_t at_boot_ns) {
  if (at_boot_ns == at_) return;
  at_ = at_boot_ns;
  itimerspec when = {};  // all zero: off
  if (at_ != kNever) {
    const int64_t at = std::max<int64_t>(at_, 1);
    when.it_value = {.tv_sec = at / 1'000'000'000, .tv_nsec = at % 1'000'000'000};
  }
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

void DeadlineTimer::Acknowledge() {
  uint64_t times = 0;
  if (read(timer_.get(), &times, sizeof times) > 0) at_ = kNever;
}

}  // namespace gp
