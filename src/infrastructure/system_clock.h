#pragma once

#include <ctime>

#include "ports/outbound/clock.h"

namespace gp {

// The host's clocks.
class SystemClock : public Clock {
 public:
  Instant Now() override { return {Read(CLOCK_REALTIME)}; }
  int64_t BootNs() override { return Read(CLOCK_BOOTTIME); }
  std::string BootId() override;

 private:
  static int64_t Read(clockid_t id) {
    timespec time{};
    clock_gettime(id, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
  }
};

}  // namespace gp
