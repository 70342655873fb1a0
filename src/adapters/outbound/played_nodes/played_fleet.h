#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "adapters/outbound/played_nodes/played_agent.h"
#include "files/descriptor.h"

namespace gp {

// A descriptor that becomes readable once in each period, until ClearTicks.
Descriptor TickEvery(std::chrono::milliseconds period);
void ClearTicks(const Descriptor& ticks);

// Agents that are played together, on the loop's thread.
class PlayedFleet {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The agents share `times`, which outlives it.
  PlayedFleet(std::vector<std::shared_ptr<PlayedAgent>> agents, const PlayedTimes& times)
      : agents_(std::move(agents)), times_(times) {}

  bool HaveAllJoined() const { return times_.joined == static_cast<int>(agents_.size()); }
  // Ten times a second, those without a connection begin one.
  void Connect(Time now);
  // Lets each agent send once in the controller's period, each at its own part of it.
  void Beat(Time now);

 private:
  const std::vector<std::shared_ptr<PlayedAgent>> agents_;
  const PlayedTimes& times_;
  Time connect_at_;
  Time due_;  // of the next one
  size_t next_ = 0;
};

}  // namespace gp
