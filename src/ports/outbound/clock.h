#pragma once

#include <string>

#include "base/time.h"

namespace gp {

// The only source of time outside envelopes.  Any thread may call it.
class Clock {
 public:
  virtual ~Clock() = default;
  // Wall clock, UTC; the host's administrator may step it.
  virtual Instant Now() = 0;
  // Nanoseconds since boot, sleep included; never goes back (CLOCK_BOOTTIME).  For leases and
  // timeouts.
  virtual int64_t BootNs() = 0;
  // Identifies this boot of the machine: values of BootNs compare only within one boot.
  virtual std::string BootId() = 0;
};

}  // namespace gp
