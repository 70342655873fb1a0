#pragma once

// Events as short lines for tables and failure messages: "gang-placed j1 n1[0-3]".

#include <map>
#include <string>

#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

// `state` is the one before the event; `names`: what the table calls its jobs.
std::string EventText(const State& state, const Event& event,
                      const std::map<JobId, std::string>& names);

}  // namespace gp
