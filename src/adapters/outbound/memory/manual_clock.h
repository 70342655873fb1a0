#pragma once

// A clock that a test advances by hand.

#include <atomic>

#include "ports/outbound/clock.h"

namespace gp {

class ManualClock : public Clock {
 public:
  Instant Now() override { return {1'700'000'000'000'000'000 + boot_ns_.load() + stepped_ns_.load()}; }
  int64_t BootNs() override { return boot_ns_.load(); }
  void Advance(Duration by) { boot_ns_ += by.ns; }
  // The wall clock alone, as an administrator does.
  void StepWall(Duration by) { stepped_ns_ += by.ns; }

 private:
  std::atomic<int64_t> boot_ns_{1'000'000'000};
  std::atomic<int64_t> stepped_ns_{0};
};

}  // namespace gp
