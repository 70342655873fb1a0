#pragma once

// The project's errors as gRPC statuses.

#include <grpcpp/support/status.h>

#include "adapters/wire/error.h"
#include "base/result.h"

namespace gp {

inline grpc::Status ToGrpc(const Error& error) {
  return {static_cast<grpc::StatusCode>(GrpcCodeFor(error.code)), error.message};
}
inline grpc::Status ToGrpc(const Status& status) {
  return status ? grpc::Status::OK : ToGrpc(status.error());
}

}  // namespace gp
