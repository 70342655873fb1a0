#pragma once

// One POST to another server by the HTTP client: the answer's head is what counts.  Redirects are
// not followed.

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "lib/http/http_line.h"
#include "lib/http/http_message.h"
#include "lib/http/web_address.h"

namespace gp {

struct WebPost {
  WebAddress to;
  HttpHeaders headers;
  std::string body;
  std::string authorities;  // PEM file of CA certificates; empty: the host's own
  Duration time_limit = Duration::Seconds(10);
};

// `stop_fd`: readable when the answer is no longer needed; -1: none.  The result has only the
// beginning of the answer's body. kUnavailable: no answer; the server may have received the request
// or not.
Result<HttpAnswer> Post(const WebPost& post, int stop_fd);

}  // namespace gp
