#pragma once

#include "adapters/inbound/api/control_api.h"
#include "adapters/outbound/notify/notifier.h"
#include "cmd/serve/controller_config.h"

namespace gp {

// Reads the settings again, and finds all that can be wrong before anything changes.  `notifier`:
// nullptr: there are no receivers.  It and the configuration outlive the result.
Result<Reloaded> ReadSettingsAgain(const ControllerConfig& config, Notifier* notifier);

}  // namespace gp
