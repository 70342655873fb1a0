#pragma once

// One POST to a server elsewhere, over HTTP or HTTPS.  Whom a certificate does not name, or no
// known authority vouches for, is not told anything; where the answer points is not gone to.

#include <string>
#include <utility>
#include <vector>

#include "adapters/outbound/http/http_line.h"
#include "base/result.h"
#include "base/time.h"

namespace gp {

struct WebAddress {
  bool is_encrypted = false;
  std::string host;
  std::string port;    // "443"
  std::string target;  // "/hooks/7?x=1"
};

// "https://host:8443/path".  kInvalidArgument: it is none, or has a user or a password in it.
Result<WebAddress> ParseWebAddress(const std::string& url);

struct WebPost {
  WebAddress to;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string authorities;  // PEM file that vouches for the server; empty: the host's own
  Duration time_limit = Duration::Seconds(10);
};

// `stop_fd`: readable when nobody wants the answer any more; -1: none.  Of the answer's body, the
// beginning. kUnavailable: there was none; whether the request was seen, nobody knows.
Result<HttpAnswer> Post(const WebPost& post, int stop_fd);

}  // namespace gp
