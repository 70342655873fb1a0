#include "cmd/serve/reload.h"

#include "cmd/serve/controller_settings.h"
#include "cmd/serve/policy_text.h"

namespace gp {
namespace {

// What needs a restart, in words.
std::vector<std::string> RestartChanges(const std::vector<SettingValue>& running,
                                        const std::vector<SettingValue>& now) {
  std::vector<std::string> changes;
  for (size_t i = 0; i < now.size(); ++i) {
    const auto text = [](const std::string& value) { return value.empty() ? "\"\"" : value; };
    if (now[i].value == running[i].value) continue;
    if (now[i].key == "policy_file" || now[i].key == "notify_file") continue;
    changes.push_back(now[i].key + ": " + text(running[i].value) + " -> " + text(now[i].value));
  }
  return changes;
}

}  // namespace

Result<Reloaded> ReadSettingsAgain(const ControllerConfig& config, Notifier* notifier) {
  ControllerConfig now = GP_TRY(ReadControllerSettings(config.sources));
  now.policy.lease_time = config.policy.lease_time;  // agents have learned it
  Reloaded reloaded{
      now.policy,
      [policy = now.policy](const Policy& before) { return PolicyChanges(before, policy); },
      RestartChanges(config.values, now.values), nullptr};
  if (now.notify.has_value() != (notifier != nullptr))
    reloaded.needs_restart.emplace_back("notify");
  if (notifier == nullptr || !now.notify) return reloaded;
  reloaded.receivers = [notifier, receivers = *std::move(now.notify)] {
    return notifier->Reload(receivers);
  };
  return reloaded;
}

}  // namespace gp
