#include "adapters/inbound/api/control_api.h"
#include "base/text.h"

namespace gp {

Status ControlApi::GetSettings(const Caller& caller, const v1::GetSettingsRequest&,
                               v1::Settings* reply) {
  reply->set_version(about_.version);
  if (about_.settings == nullptr) return Ok();
  Policy policy;
  GP_CHECK_OK(gateway_.Read([&](const State& state) { policy = state.policy; }));
  about_.settings(policy, reply);
  if (caller.In("") >= Role::kOperator) return Ok();
  // The error of a receiver or program may contain addresses and other secrets.
  for (v1::Receiver& receiver : *reply->mutable_receivers()) {
    if (!receiver.problem().empty()) receiver.set_problem("cannot be notified now");
  }
  return Ok();
}

Status ControlApi::ReloadConfig(const Caller& caller, const v1::ReloadConfigRequest&,
                                v1::ReloadConfigReply* reply) {
  if (about_.reload == nullptr)
    return Fail(Conflict("this controller was started without files to read again"));
  const std::lock_guard one_at_a_time(reloading_);
  Reloaded now = GP_TRY(about_.reload());
  Policy before;
  GP_CHECK_OK(gateway_.Read([&](const State& state) { before = state.policy; }));
  const std::vector<std::string> changes = now.changes(before);
  for (const std::string& one : changes) reply->add_changes(one);
  for (const std::string& one : now.needs_restart) reply->add_needs_restart(one);
  if (!changes.empty()) {
    const Outcome outcome = gateway_.Execute(caller.AsOrigin(), "",
                                             SetPolicy{std::move(now.policy), Join(changes, "; ")});
    if (!outcome.status) return outcome.status;
  }
  if (now.receivers != nullptr) {
    const std::vector<std::string> changed = GP_TRY(now.receivers());
    for (const std::string& one : changed) reply->add_changes(one);
    if (!changed.empty())
      GP_CHECK_OK(gateway_
                      .Execute(caller.AsOrigin(), "",
                               NoteChange{"ReloadConfig", "receivers", Join(changed, "; ")})
                      .status);
  }
  if (now.applied) now.applied();
  return Ok();
}

}  // namespace gp
