#pragma once

// The process that supervisors are copies of.  To start a program anew for every job costs several
// times what a copy of one that stands ready does.  It knows nothing of jobs and holds nothing of
// them: with it dies only the chance of more, and the agent starts another.

#include <optional>
#include <string>

#include "supervisor/birth.h"
#include "supervisor/descriptor.h"

namespace gp {

// What a newborn supervisor is given.
struct Birth {
  BirthRequest request;
  Descriptor agent;
  Descriptor directory;
  Descriptor lock;
  Descriptor secrets;  // invalid: it is given none
};

// Serves the agent for as long as it lives.  Returns in every supervisor that is born, detached
// from the nursery, and without a value when the agent has gone.
std::optional<Birth> ServeNursery(Descriptor agent);

}  // namespace gp
