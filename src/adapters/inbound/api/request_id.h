#pragma once

// The id that a client gives a request, so that it can repeat the request without repeating the
// change: the header Idempotency-Key, over gRPC the metadata idempotency-key.

#include <google/protobuf/message.h>

#include <functional>
#include <optional>
#include <string_view>

#include "application/access/caller.h"
#include "base/result.h"

namespace gp {

inline constexpr size_t kRequestIdMax = 128;

// Calls `answer` with the caller, who has the request's id from then on.  `id`: nullopt: the client
// gave none.  kInvalidArgument: it is empty, too long or not printable ASCII.
Status WithRequestId(const Caller& caller, std::optional<std::string_view> id,
                     std::string_view operation, const google::protobuf::Message& request,
                     const std::function<Status(const Caller&)>& answer);

}  // namespace gp
