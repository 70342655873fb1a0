#pragma once

// Requests and responses of HTTP as values.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "lib/http/web_address.h"

namespace gp {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// A body that is read while it is sent, on the thread that sends it.
struct BodySource {
  // The next piece; empty: the end.  An error ends the request and becomes its error.
  std::function<Result<std::string>()> next;
  std::optional<uint64_t> bytes;  // of all pieces together; nullopt: sent in chunks
};

struct WebRequest {
  std::string method = "GET";
  WebAddress to;
  // Not Host, Connection, Content-Length or Transfer-Encoding, which follow from the rest.
  HttpHeaders headers;
  std::string body;
  BodySource source;  // where its `next` is set, it replaces the body
};

struct WebResponse {
  int status = 0;
  HttpHeaders headers;
  std::string body;
};

// Whether the names are the same; case does not matter.  ASCII.
bool IsSameHeader(std::string_view a, std::string_view b);
// The value of the first header with this name; nullptr: there is none.
const std::string* FindHeader(const HttpHeaders& headers, std::string_view name);

// kInvalidArgument: the method, the address or a header cannot be part of a request.  The message
// names the header and contains no value.
Status CheckRequest(const WebRequest& request);
// What is sent before the body: the request line and the headers, with the empty line after them.
// REQUIRES: CheckRequest passes.
std::string RequestHead(const WebRequest& request);

}  // namespace gp
