#pragma once

// How much of a cluster's GPU time was held, and how much lay idle while jobs waited.

#include <cstdint>

#include "domain/cluster/state.h"

namespace gp {

class Usage {
 public:
  // The state was like this since the last call, until `now`.
  void Observe(const State& state, Instant now);

  // In GPU-hours.
  double held() const { return held_; }
  double installed() const { return installed_; }
  double idle_while_waiting() const { return idle_while_waiting_; }

 private:
  Instant last_;
  double held_ = 0;
  double installed_ = 0;
  double idle_while_waiting_ = 0;
};

}  // namespace gp
