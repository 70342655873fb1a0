#pragma once

#include <google/protobuf/descriptor.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/inbound/api/operations/unary_methods.h"
#include "base/result.h"

namespace gp {

struct Route {
  std::string method;    // "GET"
  std::string path;      // "/api/v1/jobs/{job_id}:stop"
  std::string alias_of;  // the main path of the same operation; empty: this is the main path
  int status = 200;
  std::string operation;              // "GetJob"
  const UnaryMethod* call = nullptr;  // nullptr: its answer is a stream
  bool is_raw = false;                // plain bytes, unless the client accepts events
};

struct MatchedRoute {
  const Route* route = nullptr;
  std::vector<std::pair<std::string, std::string>> fields;  // of the path, decoded
};

// Maps method and path to an operation, by the options of the service
// (proto/gpu_platform/v1/http.proto).  Immutable; any thread.
class Routes {
 public:
  Routes();

  // `path`: as received, without the query.  kNotFound: no such path; kUnsupported: the path has
  // other methods, which the message names.
  Result<MatchedRoute> Find(std::string_view method, std::string_view path) const;
  const std::vector<Route>& all() const { return routes_; }

 private:
  std::vector<Route> routes_;
};

// "%2F" -> "/".  kInvalidArgument: a malformed escape.
Result<std::string> PercentDecoded(std::string_view text, bool plus_is_space = false);
// Parses a query: "a=1&b=2".
Result<std::vector<std::pair<std::string, std::string>>> ParseQuery(std::string_view query);

}  // namespace gp
