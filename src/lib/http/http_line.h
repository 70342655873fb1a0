#pragma once

// HTTP to a Unix socket over a connection that stays open between requests.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace gp {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;  // names and values

struct HttpAnswer {
  int status = 0;
  std::string body;
};

// One open HTTP connection.  One thread uses it.
class HttpLine {
 public:
  // kUnavailable: no server listens there.
  static Result<std::unique_ptr<HttpLine>> Open(const std::string& socket);
  virtual ~HttpLine() = default;

  // kUnavailable: the connection broke, or cannot be made again; the server may have received the
  // request or not.
  virtual Result<HttpAnswer> Post(const std::string& target, const HttpHeaders& headers,
                                  std::string body) = 0;
};

}  // namespace gp
