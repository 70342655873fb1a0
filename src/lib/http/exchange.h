#pragma once

// One request and its response on one connection.  Only for this folder.

#include <optional>

#include "base/result.h"
#include "lib/http/connection.h"
#include "lib/http/fetch.h"

namespace gp {

struct ExchangeEnd {
  Status status;  // an error: the response is missing or incomplete
  bool may_be_received = false;
  std::optional<WebResponse> response;  // what has arrived
};

// Sends the request and receives the response, whose body is not read if it is a redirect that is
// to be followed.  A server that responds and breaks the connection before it has received the
// whole body has responded.  Errors as of Fetch, without the host.
// REQUIRES: CheckRequest(request) passes; the connection is new.
ExchangeEnd Exchange(Connection& connection, const WebRequest& request,
                     const FetchOptions& options);

}  // namespace gp
