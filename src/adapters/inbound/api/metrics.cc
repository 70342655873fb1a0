// The controller's metrics, for whoever may ask it anything.

#include "adapters/inbound/api/control_api.h"

namespace gp {

Status ControlApi::GetMetrics(const Caller&, const v1::GetMetricsRequest&, v1::GetMetricsReply* reply) {
  if (!about_.metrics) return Fail(Unsupported("this controller has no metrics"));
  return gateway_.Read([&](const State& state) { reply->set_text(about_.metrics(state)); });
}

}  // namespace gp
