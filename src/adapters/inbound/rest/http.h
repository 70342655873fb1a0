#pragma once

// HTTP requests and answers, independent of sockets and of the HTTP library.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "domain/model/jobs/job.h"

namespace gp {

struct HttpRequest {
  std::string method;  // "GET"
  std::string target;  // as received: "/api/v1/jobs?limit=5"
  std::optional<std::string> authorization;
  std::optional<std::string> content_type;
  std::optional<std::string> idempotency_key;
  std::optional<std::string> host;
  std::optional<std::string> origin;  // set by browsers: the page's origin
  std::string body;
  std::string from;          // "unix", "127.0.0.1:40312"
  std::optional<User> peer;  // reported by the kernel, on the Unix socket only
  std::optional<std::string> last_event_id = std::nullopt;
  std::optional<std::string> accept = std::nullopt;
  std::optional<std::string> if_none_match = std::nullopt;
};

// A streaming answer, sent piece by piece.  One thread at a time calls it.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  // The next piece to send; empty: nothing yet.  nullopt: the stream has ended.
  virtual std::optional<std::string> Take() = 0;
  // After the end: the error that ended it early.  If nothing was sent yet, the error is the
  // answer; otherwise the connection is closed, so that the client notices the incomplete answer.
  virtual std::optional<Error> Failure() const { return std::nullopt; }
  // False: it is not known yet whether the call succeeds.
  virtual bool HasBegun() const { return true; }
  // The stream calls `tell`, on any thread, when Take may have more; `tell` does not wait.  A new
  // function replaces the old one.
  virtual void OnNews(std::function<void()> tell) { (void)tell; }
  // Called at intervals; the text is sent if nothing else is, so that each side notices when the
  // other is gone.
  virtual std::string Heartbeat() = 0;
};

struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  // Replaces the body; nullptr: not a streaming answer
  std::shared_ptr<HttpStream> stream = nullptr;
};

}  // namespace gp
