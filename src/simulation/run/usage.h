#pragma once

// How much of a cluster's GPU time was held, how much was idle while jobs were pending, and how
// much of the free GPU time the jobs could not have used.

#include <map>
#include <optional>
#include <string>

#include "base/wide.h"
#include "simulation/run/fragmentation_levels.h"
#include "simulation/run/gpu_levels.h"

namespace gp {

struct HeldTime {
  Wide installed = 0;  // GPU-nanoseconds
  Wide held = 0;       // thousandths of them

  double installed_hours() const;
  double held_hours() const;
};

struct Usage {
  std::map<std::string, HeldTime> by_model;
  double idle_while_waiting = 0;  // GPU-hours
  // Thousandths of GPU-nanoseconds, over the time when the pool had running or pending jobs.
  Wide free = 0;
  Wide stranded = 0;

  HeldTime total() const;
  double held() const { return total().held_hours(); }
  double installed() const { return total().installed_hours(); }
  // The stranded part of the free GPU time; nullopt: nothing was free.
  std::optional<double> fragmentation() const;
};

// Integrates the usage of a cluster over time.
class HoldMeter {
 public:
  // The state has been like this since the last call, until `now`.
  void Observe(const State& state, Instant now);
  const Usage& so_far() const { return usage_; }

 private:
  Instant last_;
  GpuLevels levels_;
  FragmentationLevels fragmentation_;
  Usage usage_;
};

}  // namespace gp
