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

// The lineage of the attempts in an agent's directory; 0: none was kept yet.
Result<uint64_t> Lineage(const std::string& state_directory);
// Keeps another one.  Logs of jobs of the one before are set aside as logs-<lineage>: the new one
// gives their jobs' numbers again.
Status KeepLineage(const std::string& state_directory, uint64_t lineage);

// The secret with which nodes join; made at the controller's first start, readable by its user.
Result<std::string> JoinToken(const std::string& state_directory);

// Tells this host from others, also those installed from the same image where that made their
// machine ids anew: a digest of /etc/machine-id, which is not shown itself; empty where there is
// none.
std::string MachineId();

}  // namespace gp
