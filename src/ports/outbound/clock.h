#pragma once

#include <string>

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
  // Names the time since the machine began, whose clock BootNs is.
  virtual std::string BootId() = 0;
};

}  // namespace gp
