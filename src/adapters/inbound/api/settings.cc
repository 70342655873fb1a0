#include "adapters/inbound/api/control_api.h"

namespace gp {

Status ControlApi::GetSettings(const Caller&, const v1::GetSettingsRequest&, v1::Settings* reply) {
  reply->set_version(about_.version);
  if (about_.settings == nullptr) return Ok();
  Policy policy;
  GP_CHECK_OK(gateway_.Read([&](const State& state) { policy = state.policy; }));
  about_.settings(policy, reply);
  return Ok();
}

}  // namespace gp
