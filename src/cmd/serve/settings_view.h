#pragma once

// The policy and the notification receivers of a controller, as messages and as text.

#include <string>

#include "adapters/outbound/notify/notifier.h"
#include "domain/cluster/policy.h"
#include "gpu_platform/v1/settings.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// `notifier`: nullptr: there are no receivers.
void FillSettings(const std::string& policy_file, const Policy& policy, const Notifier* notifier,
                  v1::Settings* settings);

}  // namespace gp
