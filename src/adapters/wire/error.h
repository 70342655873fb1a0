#pragma once

// One table from the project's error codes to gRPC's status codes, HTTP's and exit codes of the
// command line; tested for every code.

#include "base/error.h"

namespace gp {

int GrpcCodeFor(ErrorCode code);
ErrorCode ErrorCodeFromGrpc(int grpc_code);
int HttpStatusFor(ErrorCode code);
int ExitCodeFor(ErrorCode code);

}  // namespace gp
