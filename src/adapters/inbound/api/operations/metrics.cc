// The controller's metrics.

#include "adapters/inbound/api/control_api.h"

namespace gp {

Status ControlApi::GetMetrics(const Caller&, const v1::GetMetricsRequest& request,
                              v1::GetMetricsReply* reply) {
  if (!about_.metrics) return Fail(Unsupported("this controller has no metrics"));
  reply->set_text(GP_TRY(about_.metrics(request.names())));
  return Ok();
}

}  // namespace gp
