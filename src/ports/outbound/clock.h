#pragma once

#include "base/time.h"

namespace gp {

// The only source of time outside envelopes.
class Clock {
 public:
  virtual ~Clock() = default;
  // Wall time, UTC; may be stepped by the host's administrator.
  virtual Instant Now() = 0;
  // Nanoseconds that only grow and count sleep too (CLOCK_BOOTTIME): for leases and time-outs.
  virtual int64_t BootNs() = 0;
};

}  // namespace gp
