#pragma once

// After the mishaps: everybody who could be missing comes back, and a person goes round until
// nothing asks for one.

#include "simulation/world/mishaps.h"

namespace gp {

class Healing {
 public:
  Healing(Mishaps::World world, const std::set<size_t>& gone) : world_(world), gone_(gone) {}

  // Power, agents, network, clocks.
  void Begin();
  // One round; what is left to be waited for, in words.  Empty: nothing.
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
