#pragma once

// The settings in force of a controller, with its policy and its notification receivers.

#include <string>

#include "adapters/outbound/notify/notifier.h"
#include "cmd/serve/reload.h"
#include "domain/cluster/policy.h"
#include "gpu_platform/v1/settings.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// `notifier`: nullptr: there are no receivers.
void FillSettings(const SettingsInForce::View& in_force, const Policy& policy,
                  const Notifier* notifier, v1::Settings* settings);

}  // namespace gp
