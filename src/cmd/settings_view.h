#pragma once

// What a controller decides by and whom it tells, as messages and for people.

#include <string>

#include "adapters/outbound/notify/notifier.h"
#include "domain/cluster/policy.h"
#include "gpu_platform/v1/settings.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// `notifier`: nullptr: it tells nobody.
void FillSettings(const std::string& policy_file, const Policy& policy, const Notifier* notifier,
                  v1::Settings* settings);

}  // namespace gp
