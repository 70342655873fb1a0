#pragma once

// How much of a cluster's GPU time was held, and how much lay idle while jobs waited.

#include <map>
#include <string>

#include "base/wide.h"
#include "simulation/run/gpu_levels.h"

namespace gp {

struct GpuTime {
  Wide installed = 0;  // GPU-nanoseconds
  Wide held = 0;       // thousandths of them

  double installed_hours() const;
  double held_hours() const;
};

struct Usage {
  std::map<std::string, GpuTime> by_model;
  double idle_while_waiting = 0;  // GPU-hours

  GpuTime total() const;
  double held() const { return total().held_hours(); }
  double installed() const { return total().installed_hours(); }
};

class UsageMeter {
 public:
  // The state was like this since the last call, until `now`.
  void Observe(const State& state, Instant now);
  const Usage& so_far() const { return usage_; }

 private:
  Instant last_;
  GpuLevels levels_;
  Usage usage_;
};

}  // namespace gp
