#pragma once

// One table from the project's error codes to gRPC's status codes, HTTP's and exit codes of the
// command line; tested for every code.

#include <string>
#include <string_view>

#include "base/error.h"

namespace gp {

int GrpcCodeFor(ErrorCode code);
ErrorCode ErrorCodeFromGrpc(int grpc_code);
int HttpStatusFor(ErrorCode code);
// gRPC's names as the Connect protocol writes them: "invalid_argument".
std::string ConnectNameFor(ErrorCode code);
ErrorCode ErrorCodeFromConnect(std::string_view name);
int ExitCodeFor(ErrorCode code);

}  // namespace gp
