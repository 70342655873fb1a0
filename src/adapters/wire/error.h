#pragma once

// Maps the project's error codes to gRPC status codes, HTTP statuses and exit codes of the command
// line.

#include <string>
#include <string_view>

#include "base/error.h"

namespace gp {

int GrpcCodeFor(ErrorCode code);
ErrorCode ErrorCodeFromGrpc(int grpc_code);
int HttpStatusFor(ErrorCode code);
// The name of the gRPC code in the Connect protocol: "invalid_argument".
std::string ConnectNameFor(ErrorCode code);
ErrorCode ErrorCodeFromConnect(std::string_view name);
int ExitCodeFor(ErrorCode code);

}  // namespace gp
