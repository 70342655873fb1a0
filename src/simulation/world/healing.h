#pragma once

#include "simulation/world/mishaps.h"

namespace gp {

// Repairs the world after the mishaps: all hosts and processes that can come back do so, and a
// simulated operator makes rounds until no operator action is required.
class Healing {
 public:
  Healing(Mishaps::World world, const std::set<size_t>& gone) : world_(world), gone_(gone) {}

  // Restores power, agents, network and clocks.
  void Begin();
  // Makes one round.  Returns what the world still waits for, in words; empty: nothing.
  std::string GoRound(size_t jobs);

 private:
  void CareForNode(const State& state, const Node& node);
  AgentHost* HostWith(const std::string& uuid, const Node& node) const;
  bool IsOfNobody(const State& state, const Incident& incident) const;
  bool IsStrangers(const Node& node) const;
  std::string WaitsFor(const State& state, size_t jobs) const;

  Mishaps::World world_;
  const std::set<size_t>& gone_;
  std::vector<Command> wishes_;
};

}  // namespace gp
