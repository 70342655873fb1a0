#pragma once

// The project's errors as gRPC statuses, with details for programs (gRPC's richer error model):
// always ErrorInfo, BadRequest if a field is wrong, RetryInfo if the same call may succeed later.

#include <grpcpp/support/status.h>

#include "base/result.h"

namespace gp {

grpc::Status ToGrpc(const Error& error);
inline grpc::Status ToGrpc(const Status& status) {
  return status ? grpc::Status::OK : ToGrpc(status.error());
}

}  // namespace gp
