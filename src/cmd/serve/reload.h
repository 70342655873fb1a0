#pragma once

#include <mutex>

#include "adapters/inbound/api/control_api.h"
#include "adapters/outbound/notify/notifier.h"
#include "cmd/serve/controller_config.h"

namespace gp {

// What a running controller says of its settings.  Any thread.
class SettingsInForce {
 public:
  struct View {
    std::string policy_file;
    std::vector<std::string> files;
    std::vector<SettingValue> values;
  };
  explicit SettingsInForce(const ControllerConfig& config);
  View Now() const;
  // After a reload: what took effect is as it was read now, all else as it was at the start.
  void Applied(const ControllerConfig& read, bool with_receivers);

 private:
  mutable std::mutex mutex_;
  View view_;
};

// Reads the settings again, and finds all that can be wrong before anything changes.  `notifier`:
// nullptr: there are no receivers.  It, the configuration and `in_force` outlive the result.
Result<Reloaded> ReadSettingsAgain(const ControllerConfig& config, Notifier* notifier,
                                   SettingsInForce& in_force);

}  // namespace gp
