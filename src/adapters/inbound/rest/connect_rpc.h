#pragma once

// Unary calls over the Connect protocol (https://connectrpc.com/docs/protocol): a POST to
// /gpu_platform.v1.Control/METHOD with the message in the body, as Protocol Buffers or JSON.  The
// command line uses it on the controller's machine.

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
