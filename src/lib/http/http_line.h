#pragma once

// HTTP to a Unix socket over a connection that stays open between requests.

#include <memory>
#include <string>

#include "base/result.h"

namespace gp {

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

  // `authorization` may be empty. kUnavailable: the connection broke; the server may have received
  // the request or not.
  virtual Result<HttpAnswer> Post(const std::string& target, const std::string& content_type,
                                  const std::string& authorization, std::string body) = 0;
};

}  // namespace gp
