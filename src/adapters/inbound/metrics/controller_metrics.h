#pragma once

// Faults, what was done about them, what they cost, and what is free, as Prometheus reads it.  Counters follow what is committed and
// begin at 0 with each controller; what the state knows is told as it is.  No series is named after a job or a user, so
// there are as many as GPUs and queues at most, and kinds of errors that were seen.

#include <memory>
#include <string>
#include <vector>

#include "ports/inbound/control_gateway.h"

namespace gp {

class ControllerMetrics : public CommitObserver {
 public:
  ControllerMetrics();
  ~ControllerMetrics() override;

  // By the writer's thread.
  void OnCommit(const State& state, const std::vector<Event>& events) override;
  // All of it in Prometheus' text format; by any thread that may read the state.
  std::string Text(const State& state) const;

 private:
  struct Counters;
  std::unique_ptr<Counters> counters_;
};

}  // namespace gp
