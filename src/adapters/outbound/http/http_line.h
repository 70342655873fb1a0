#pragma once

// A line over HTTP to a Unix socket, kept open from one request to the next.  One thread uses it.

#include <memory>
#include <string>

#include "base/result.h"

namespace gp {

struct HttpAnswer {
  int status = 0;
  std::string body;
};

class HttpLine {
 public:
  // kUnavailable: nobody listens there.
  static Result<std::unique_ptr<HttpLine>> Open(const std::string& socket);
  virtual ~HttpLine() = default;

  // `authorization` may be empty.  kUnavailable: the line broke; whether the request was seen,
  // nobody knows.
  virtual Result<HttpAnswer> Post(const std::string& target, const std::string& content_type,
                                  const std::string& authorization, std::string body) = 0;
};

}  // namespace gp
