#pragma once

// The control groups that agents make here: what they can enforce, and what is left of them.

#include <string>
#include <vector>

#include "ports/outbound/device_isolation.h"

namespace gp {

// What an agent of our user can enforce on this host. The probe runs in a child process, because it
// moves its own process and makes directories; those are removed again. Call it before any thread
// is started.
Result<IsolationReport> ProbeIsolation();

// The directories of agents with the given names, in every hierarchy.  Made before the agents
// start, so that what they share with others and was there before is left alone.
class AgentCgroups {
 public:
  explicit AgentCgroups(const std::vector<std::string>& names);
  // Removes what the agents left; returns the paths that are still in use.
  std::vector<std::string> Remove() const;

 private:
  std::vector<std::string> paths_;
};

// The name that an agent with this state directory uses.
std::string AgentCgroupName(const std::string& state_directory);

}  // namespace gp
