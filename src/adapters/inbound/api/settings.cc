#include "adapters/inbound/api/control_api.h"

namespace gp {

Status ControlApi::GetSettings(const Caller& caller, const v1::GetSettingsRequest&, v1::Settings* reply) {
  reply->set_version(about_.version);
  if (about_.settings == nullptr) return Ok();
  Policy policy;
  GP_CHECK_OK(gateway_.Read([&](const State& state) { policy = state.policy; }));
  about_.settings(policy, reply);
  if (caller.In("") >= Role::kOperator) return Ok();
  // What a receiver or a program says may have addresses and other secrets in it.
  for (v1::Receiver& receiver : *reply->mutable_receivers()) {
    if (!receiver.problem().empty()) receiver.set_problem("cannot be told now");
  }
  return Ok();
}

}  // namespace gp
