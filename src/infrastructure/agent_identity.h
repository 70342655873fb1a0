#pragma once

// What an agent and a controller keep in their state directories beside their work.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace gp {

// Grows at each start of the agent, so that an older one is known as such.  It is never below the
// clock's seconds: an agent that lost its state directory is newer than the one before.
struct AgentIncarnation {
  uint64_t number = 1;
  bool fresh = false;  // the directory is new: nothing of earlier leases is remembered
};
Result<AgentIncarnation> NextIncarnation(const std::string& state_directory, Instant now);

// The secret with which nodes join; made at the controller's first start, readable by its user.
Result<std::string> JoinToken(const std::string& state_directory);

}  // namespace gp
