#pragma once

// What an older format has of a record.  While programs of two releases lead and follow, the leader
// decides as if what came with the newer format did not exist (docs/controllers.md, "Rolling
// upgrade").

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/cluster/event.h"

namespace gp {

// The envelope as this format has it.  What came later is refused, or left out if `may_lose`.
// Errors: kConflict: it says something that only a newer format has; a command that came later is
// always refused.
Result<Envelope> InFormat(uint64_t format, Envelope envelope, bool may_lose);

// Whether the format has all that these events say.  Errors: kConflict.
Status CheckInFormat(uint64_t format, const std::vector<Event>& events);

}  // namespace gp
