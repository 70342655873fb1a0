#pragma once

// The content of an object over HTTP, from an offset on.

#include "adapters/outbound/objects/servers/object_server.h"
#include "adapters/outbound/objects/servers/web_client.h"

namespace gp {

struct RangedRead {
  WebRequest request;  // a GET of all of it
  int64_t offset = 0;
  int64_t size = 0;      // of all of it
  std::string version;   // its ETag without quotes; empty: ETags are not compared
  bool is_weak = false;  // the ETag says that the content means the same, not that it is the same
  bool may_be_encoded = false;  // a header Content-Encoding says nothing about what is sent
  int redirects_max = 0;
};

// Passes on exactly the bytes from the offset to the size, or fails.  Of a server that ignores
// ranges, the bytes before the offset are dropped.  Returns the headers of the response.  Errors as
// of ObjectServer.
Result<HttpHeaders> ReadRange(WebClient& client, const RangedRead& read, const ByteSink& sink);

}  // namespace gp
