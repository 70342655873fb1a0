#pragma once

// The data of jobs on this host: a cache in the agent's state directory, and processes that fetch
// and copy.

#include <memory>

#include "base/result.h"
#include "cmd/agent/agent_config.h"
#include "ports/outbound/data_store.h"

namespace gp {

// Errors: kInternal (the cache cannot be opened).
Result<std::unique_ptr<DataStore>> MakeDataStore(const AgentConfig& config);

}  // namespace gp
