#pragma once

// The process that supervisors are forked from, because a fork costs a fraction of starting a
// program for every job.  It holds no state of jobs: if it dies, running jobs are not affected, and
// the agent starts another one.

#include <optional>
#include <string>

#include "files/descriptor.h"
#include "supervisor/records/spawn_request.h"

namespace gp {

// What a new supervisor receives.
struct Spawned {
  SpawnRequest request;
  Descriptor agent;
  Descriptor directory;
  Descriptor lock;
  Descriptor secrets;  // invalid: the attempt has none
};

// Serves the agent while it lives.  Returns in every new supervisor, detached from the fork server;
// returns nullopt in the fork server when the agent is gone.
std::optional<Spawned> RunForkServer(Descriptor agent);

}  // namespace gp
