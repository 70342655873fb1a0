#pragma once

#include <string>

#include "ports/outbound/clock.h"
#include "simulation/world/timeline.h"

namespace gp {

// The clocks of one host: a quartz that runs slightly fast or slow, and a wall clock that people
// and daemons step.
class HostClock : public Clock {
 public:
  // `drift_ppm`: microseconds gained per second.  `machine`: numbers machines whose boots must not
  // be taken for each other's.
  HostClock(const Timeline& timeline, int drift_ppm, int machine = 0)
      : timeline_(timeline),
        begun_(timeline.now()),
        booted_(begun_),
        drift_ppm_(drift_ppm),
        machine_(machine) {}

  Instant Now() override { return begun_ + Since(begun_) + step_; }
  int64_t BootNs() override { return kBootNs * (1 + machine_) + Since(booted_).ns; }
  std::string BootId() override { return std::to_string(booted_.ns + machine_); }

  void StepWall(Duration by) { step_ = step_ + by; }
  void SetWall() { step_ = {}; }
  void Boot() { booted_ = timeline_.now(); }

 private:
  static constexpr int64_t kBootNs = 1'000'000'000;
  Duration Since(Instant start) const {
    const int64_t passed_ns = (timeline_.now() - start).ns;
    return {passed_ns + passed_ns / 1'000'000 * drift_ppm_};
  }

  const Timeline& timeline_;
  const Instant begun_;
  Instant booted_;
  const int drift_ppm_;
  const int machine_;
  Duration step_;
};

}  // namespace gp
