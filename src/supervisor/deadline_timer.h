#pragma once

#include <cstdint>

#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

int64_t BootNs();  // CLOCK_BOOTTIME
int64_t WallNs();  // CLOCK_REALTIME

inline constexpr int64_t kNever = INT64_MAX;

// One alarm on CLOCK_BOOTTIME, which continues while the host sleeps.
class DeadlineTimer {
 public:
  Status Open();
  int readable() const { return timer_.get(); }
  // kNever: no alarm.  Setting the same time again costs nothing.
  void Set(int64_t at_boot_ns);
  // Makes the descriptor unreadable again after it fired.
  void Acknowledge();

 private:
  Descriptor timer_;
  int64_t at_ = kNever;
};

}  // namespace gp
