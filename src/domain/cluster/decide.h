#pragma once

// The rules.  Decide looks at the state and a command and answers with what happens, or refuses
// with the reason; it changes nothing.  Its parts, one file per family, are declared in
// decide_parts.h.

#include <vector>

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state.h"

namespace gp {

// Whether what the node keeps was ordered under the numbers of this state.  One that is not of this
// lineage may not join before it has ended all it keeps: its lease 7 is another than ours.
bool IsOfLineage(const State& state, const JoinNode& join);

Result<std::vector<Event>> Decide(const State& state, const Envelope& envelope);

}  // namespace gp
