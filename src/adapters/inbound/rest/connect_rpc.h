#pragma once

// Single calls of the service as the Connect protocol carries them
// (https://connectrpc.com/docs/protocol): a POST to /gpu_platform.v1.Control/METHOD with the
// message in the body, as bytes of Protocol Buffers or as JSON.  The command line calls so on the
// controller's machine.

#include <string_view>

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/rest/http.h"

namespace gp {

class AccessGuard;

inline constexpr std::string_view kConnectPrefix = "/gpu_platform.v1.Control/";

// REQUIRES: the request's target begins with kConnectPrefix.
HttpReply AnswerConnect(ControlApi& api, AccessGuard& guard, const Result<Caller>& caller,
                        const HttpRequest& request);

}  // namespace gp
