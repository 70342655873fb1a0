// The controller's metrics, for whoever may ask it anything.

#include "adapters/inbound/grpc/control_service.h"
#include "adapters/inbound/grpc/status.h"

namespace gp {

grpc::Status ControlService::GetMetrics(grpc::ServerContext* context, const v1::GetMetricsRequest*, v1::GetMetricsReply* reply) {
  const Result<User> caller = Caller(*context);
  if (!caller) return ToGrpc(caller.error());
  if (!about_.metrics) return ToGrpc(Unsupported("this controller has no metrics"));
  return ToGrpc(gateway_.Read([&](const State& state) { reply->set_text(about_.metrics(state)); }));
}

}  // namespace gp
