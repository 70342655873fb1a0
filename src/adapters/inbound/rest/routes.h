#pragma once

// From method and path to an operation, as the options of the service say
// (proto/gpu_platform/v1/http.proto).

#include <google/protobuf/descriptor.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/inbound/api/unary_methods.h"
#include "base/result.h"

namespace gp {

struct Route {
  std::string method;    // "GET"
  std::string path;      // "/api/v1/jobs/{job_id}:stop"
  std::string alias_of;  // another path where the same is; empty: this is its own
  int status = 200;
  std::string operation;              // "GetJob"
  const UnaryMethod* call = nullptr;  // nullptr: its answer is a stream
  bool is_raw = false;                // of bytes, for who does not ask for events
};

struct MatchedRoute {
  const Route* route = nullptr;
  std::vector<std::pair<std::string, std::string>> fields;  // of the path, decoded
};

class Routes {
 public:
  Routes();

  // `path` as it came, without the query.  kNotFound: there is nothing; kUnsupported: not by this
  // method, and names those that there are.
  Result<MatchedRoute> Find(std::string_view method, std::string_view path) const;
  const std::vector<Route>& all() const { return routes_; }

 private:
  std::vector<Route> routes_;
};

// "%2F" -> "/".  kInvalidArgument: what follows a percent sign is none.
Result<std::string> PercentDecoded(std::string_view text, bool plus_is_space = false);
// Of a query: "a=1&b=2".
Result<std::vector<std::pair<std::string, std::string>>> ParseQuery(std::string_view query);

}  // namespace gp
