#pragma once

// Requests to servers that users chose: only to addresses that the site allows, with limits on all
// that arrives, and repeated while that may help.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "adapters/outbound/objects/retries.h"
#include "adapters/outbound/objects/servers/object_server.h"
#include "base/result.h"
#include "files/descriptor.h"
#include "lib/http/address_rules.h"
#include "lib/http/fetch.h"

namespace gp {

struct WebAccess {
  AddressRules rules;
  std::string authorities;  // PEM file of CA certificates; empty: the host's own
  RetryLimits retries;
  Duration idle = Duration::Seconds(30);  // for how long a server may be silent
  size_t objects_max = kObjectsMax;       // of one list
};

struct AskOptions {
  int redirects_max = 0;
  uint64_t body_bytes_max = 1 << 20;
};

// The requests of one transfer.  Any thread.
class WebClient {
 public:
  explicit WebClient(WebAccess access);

  // One try.  `on_head` and `sink` as in FetchOptions, or empty.  A response of any status, but
  // those that ask for another try later, which become kUnavailable.
  Result<WebResponse> Send(const WebRequest& request, const AskOptions& options,
                           const std::function<Status(const WebResponse&)>& on_head = {},
                           const ByteSink& sink = {});
  // The same, repeated while that may help.  `make`: a request of this moment, for signatures are
  // soon too old.
  Result<WebResponse> Ask(const std::function<Result<WebRequest>()>& make,
                          const AskOptions& options = {});

  Duration AskedWait() const;
  void Stop();
  int stop_fd() const { return stop_.get(); }

 private:
  void NoteAskedWait(const WebResponse& response);

  const WebAccess access_;
  const Descriptor stop_;
  std::atomic<int64_t> asked_until_ns_ = 0;  // by the monotonic clock
};

// The error that a status other than 200 to 299 stands for.  `detail`: such as a code; may be
// empty.
Error StatusError(int status, const std::string& detail = "");

}  // namespace gp
