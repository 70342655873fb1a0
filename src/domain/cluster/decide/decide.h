#pragma once

// The rules.  Decide takes the state and a command, and returns the events that follow, or an error
// with the reason; it changes nothing.  decide_parts.h declares its parts, one file per family.

#include <vector>

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

// Whether the node's leases were assigned under this state's lineage.  A node of another lineage
// has to end all its leases before it may join: its lease 7 is not the lease 7 of this state.
bool IsOfLineage(const State& state, const JoinNode& join);

// Whether the request has made its change before.  kConflict: another request had this id.
Result<bool> IsRepeated(const State& state, Instant at, const Origin& origin,
                        const ClientRequest& request);

// No events: the command changes nothing, or repeats an answered request.
Result<std::vector<Event>> Decide(const State& state, const Envelope& envelope);

}  // namespace gp
