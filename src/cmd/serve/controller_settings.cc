#include "cmd/serve/controller_settings.h"

#include "adapters/inbound/notify_file/notify_file.h"
#include "cmd/serve/policy_text.h"
#include "cmd/serve/policy_with.h"

namespace gp {
namespace {

// A missing file is a fault of the configuration, not of what the caller named.
Error OfConfiguration(const Error& error) {
  return error.code == ErrorCode::kNotFound ? InvalidArgument(error.message) : error;
}

}  // namespace

Result<Policy> ReadPolicy(const PolicyConfig& config) {
  Policy policy = GP_TRY(PolicyWith(config.file));
  policy.lease_time = config.lease_time;
  if (config.min_run) policy.min_run = *config.min_run;
  return policy;
}

Result<Reloaded> ReadFilesAgain(const ControllerConfig& config, Notifier* notifier) {
  auto policy = ReadPolicy(config.policy);
  if (!policy) return Fail(OfConfiguration(policy.error()));
  Reloaded now{*policy,
               [policy = *policy](const Policy& before) { return PolicyChanges(before, policy); },
               nullptr};
  if (notifier == nullptr) return now;
  auto receivers = ReadNotifyFile(config.notify);
  if (!receivers) return Fail(OfConfiguration(receivers.error()));
  now.receivers = [notifier,
                   receivers = *std::move(receivers)]() -> Result<std::vector<std::string>> {
    return notifier->Reload(receivers);
  };
  return now;
}

}  // namespace gp
