#pragma once

// One POST to another server, over HTTP or HTTPS.  Nothing is sent to a server whose certificate
// has another name or comes from no known authority.  Redirects are not followed.

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "lib/http/http_line.h"

namespace gp {

struct WebAddress {
  bool is_encrypted = false;
  std::string host;
  std::string port;    // "443"
  std::string target;  // "/hooks/7?x=1"
};

// "https://host:8443/path". kInvalidArgument: not such a URL, or it contains a user or a password.
Result<WebAddress> ParseWebAddress(const std::string& url);

struct WebPost {
  WebAddress to;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string authorities;  // PEM file of CA certificates; empty: the host's own
  Duration time_limit = Duration::Seconds(10);
};

// `stop_fd`: readable when the answer is no longer needed; -1: none.  The result has only the
// beginning of the answer's body. kUnavailable: no answer; the server may have received the request
// or not.
Result<HttpAnswer> Post(const WebPost& post, int stop_fd);

}  // namespace gp
