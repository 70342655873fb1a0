#pragma once

// Requests and answers as the API's side of the server sees them: no sockets, no library.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "domain/model/job.h"

namespace gp {

struct HttpRequest {
  std::string method;  // "GET"
  std::string target;  // as it came: "/api/v1/jobs?limit=5"
  std::optional<std::string> authorization;
  std::optional<std::string> content_type;
  std::optional<std::string> idempotency_key;
  std::optional<std::string> host;
  std::optional<std::string> origin;  // a page of a browser asks
  std::string body;
  std::string from;          // "unix", "127.0.0.1:40312"
  std::optional<User> peer;  // whom the kernel vouches for: on the Unix socket
  std::optional<std::string> last_event_id = std::nullopt;
  std::optional<std::string> accept = std::nullopt;
  std::optional<std::string> if_none_match = std::nullopt;
};

// An answer that goes on, piece by piece.  One thread at a time asks it.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  // What is to be sent now; empty: nothing yet.  nullopt: it is over.
  virtual std::optional<std::string> Take() = 0;
  // Once it is over: what cut it short.  Where nothing was sent it is the answer; otherwise the
  // connection is cut, so that nobody takes a part for the whole.
  virtual std::optional<Error> Failure() const { return std::nullopt; }
  // False: whether there will be an answer is not known yet.
  virtual bool HasBegun() const { return true; }
  // `tell` says that Take may have more; any thread may call it, until another is set.  It waits
  // for nothing.
  virtual void OnNews(std::function<void()> tell) { (void)tell; }
  // Called now and then; what it gives is sent where nothing else is, so that both sides notice
  // when the other has gone.
  virtual std::string Heartbeat() = 0;
};

struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  // What comes instead of the body; nullptr: the body is all
  std::shared_ptr<HttpStream> stream = nullptr;
};

}  // namespace gp
