#pragma once

// Identities and secrets that an agent and a controller store in their state directories.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "ports/outbound/controller_epoch.h"

namespace gp {

// A number that grows at each start of the agent, so that the controller recognises an older agent.
// It is at least the clock's seconds, so it grows even if the agent lost its state directory.
struct AgentIncarnation {
  uint64_t number = 1;
  bool fresh = false;  // the directory is new: earlier leases are not remembered
};
Result<AgentIncarnation> NextIncarnation(const std::string& state_directory, Instant now);

// The newest controller that the agent of this directory has followed; its lineage is that of the
// attempts there.  Lineage 0: none is stored yet.
Result<ControllerEpoch> FollowedController(const std::string& state_directory);
// Stores another one, in one file.  The logs of another lineage are renamed to logs-<lineage>,
// because the new lineage uses the same job numbers again.
Status KeepFollowedController(const std::string& state_directory, const ControllerEpoch& followed);

// The secret with which nodes join; created at the controller's first start, readable by its user
// only.
Result<std::string> JoinToken(const std::string& state_directory);

// Identifies this host: a digest of /etc/machine-id, so that the id itself is not shown.  Hosts
// installed from one image differ only if their machine ids do.  Empty: the host has no machine id.
std::string MachineId();

}  // namespace gp
