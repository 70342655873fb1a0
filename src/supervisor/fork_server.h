#pragma once

// The process that supervisors are copies of.  To start a program anew for every job costs several
// times what a copy of one that stands ready does.  It knows nothing of jobs and holds nothing of
// them: with it dies only the chance of more, and the agent starts another.

#include <optional>
#include <string>

#include "supervisor/descriptor.h"
#include "supervisor/spawn_request.h"

namespace gp {

// What a newborn supervisor is given.
struct Spawned {
  SpawnRequest request;
  Descriptor agent;
  Descriptor directory;
  Descriptor lock;
  Descriptor secrets;  // invalid: it is given none
};

// Serves the agent for as long as it lives.  Returns in every supervisor that is born, detached
// from the nursery, and without a value when the agent has gone.
std::optional<Spawned> RunForkServer(Descriptor agent);

}  // namespace gp
