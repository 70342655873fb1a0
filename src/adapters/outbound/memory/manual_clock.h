#pragma once

#include <atomic>

#include "ports/outbound/clock.h"

namespace gp {

// A clock that a test advances by hand.  Now() and BootNs() are for any thread.
class ManualClock : public Clock {
 public:
  Instant Now() override {
    return {1'700'000'000'000'000'000 + boot_ns_.load() + stepped_ns_.load()};
  }
  int64_t BootNs() override { return boot_ns_.load(); }
  std::string BootId() override { return boot_; }
  void Advance(Duration by) { boot_ns_ += by.ns; }
  // Steps only the wall clock, as an administrator does.
  void StepWall(Duration by) { stepped_ns_ += by.ns; }
  // The machine, or another one, has booted again after `after`.
  void Reboot(std::string boot, Duration after) {
    stepped_ns_ += boot_ns_.load() + after.ns - 1'000'000'000;
    boot_ns_ = 1'000'000'000;
    boot_ = std::move(boot);
  }

 private:
  std::atomic<int64_t> boot_ns_{1'000'000'000};
  std::atomic<int64_t> stepped_ns_{0};
  std::string boot_ = "boot-1";
};

}  // namespace gp
