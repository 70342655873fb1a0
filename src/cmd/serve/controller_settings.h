#pragma once

// What a controller reads from files, and reads again on request.

#include "adapters/inbound/api/control_api.h"
#include "adapters/outbound/notify/notifier.h"
#include "cmd/serve/controller_config.h"

namespace gp {

// The policy of the file with what overrides it.  Errors name the file, the line and the column.
Result<Policy> ReadPolicy(const PolicyConfig& config);

// Finds all that can be wrong with the files before anything changes.  `notifier`: nullptr: there
// are no receivers.  It and the configuration outlive the result.
Result<Reloaded> ReadFilesAgain(const ControllerConfig& config, Notifier* notifier);

}  // namespace gp
