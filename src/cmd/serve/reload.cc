#include "cmd/serve/reload.h"

#include "cmd/serve/controller_settings.h"
#include "cmd/serve/policy_text.h"

namespace gp {
namespace {

// Settings that a reload applies, through the sections that their files are read into.
constexpr const char* kPolicyFile = "policy_file";
constexpr const char* kNotifyFile = "notify_file";
bool IsApplied(const std::string& key) { return key == kPolicyFile || key == kNotifyFile; }

std::string ChangeText(const SettingValue& before, const SettingValue& now) {
  if (now.is_secret) return now.key;
  const auto text = [](const std::string& value) { return value.empty() ? "\"\"" : value; };
  return now.key + ": " + text(before.value) + " -> " + text(now.value);
}

// What needs a restart, in words.
std::vector<std::string> RestartChanges(const std::vector<SettingValue>& running,
                                        const std::vector<SettingValue>& now) {
  std::vector<std::string> changes;
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i].value != running[i].value && !IsApplied(now[i].key))
      changes.push_back(ChangeText(running[i], now[i]));
  }
  return changes;
}

}  // namespace

SettingsInForce::SettingsInForce(const ControllerConfig& config)
    : view_{config.policy_file, config.files, config.values} {}

SettingsInForce::View SettingsInForce::Now() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

void SettingsInForce::Applied(const ControllerConfig& read, bool with_receivers) {
  const std::lock_guard lock(mutex_);
  view_.policy_file = read.policy_file;
  view_.files = read.files;
  for (size_t i = 0; i < view_.values.size(); ++i) {
    const bool is_same = view_.values[i].value == read.values[i].value;
    const std::string& key = read.values[i].key;
    const bool is_applied = key == kPolicyFile || (key == kNotifyFile && with_receivers);
    if (is_same || is_applied) view_.values[i] = read.values[i];
  }
}

Result<Reloaded> ReadSettingsAgain(const ControllerConfig& config, Notifier* notifier,
                                   SettingsInForce& in_force) {
  ControllerConfig now = GP_TRY(ReadControllerSettings(config.sources));
  now.policy.lease_time = config.policy.lease_time;  // agents have learned it
  Reloaded reloaded{.policy = now.policy,
                    .changes = [policy = now.policy](
                                   const Policy& before) { return PolicyChanges(before, policy); },
                    .needs_restart = RestartChanges(config.values, now.values),
                    .receivers = nullptr};
  if (now.notify.has_value() != (notifier != nullptr))
    reloaded.needs_restart.emplace_back("notify");
  if (notifier != nullptr && now.notify) {
    reloaded.receivers = [notifier, receivers = *now.notify] {
      return notifier->Reload(receivers);
    };
  }
  const bool with_receivers = reloaded.receivers != nullptr;
  reloaded.applied = [&in_force, with_receivers, now = std::move(now)] {
    in_force.Applied(now, with_receivers);
  };
  return reloaded;
}

}  // namespace gp
