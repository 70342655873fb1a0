#pragma once

// HTTP/1.1 on a Unix socket and, if asked, a TCP address.  Each of a few threads waits for
// connections of its own and answers what it reads in place, so that nothing is handed over; what
// takes long goes to threads that do nothing else. It bounds what comes in: header, body, time,
// number of connections.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/certificates/certificate.h"
#include "adapters/inbound/rest/http.h"
#include "base/result.h"

namespace gp {

class HttpServer {
 public:
  struct Handler {
    std::function<HttpReply(const HttpRequest&)> answer;  // any thread; may wait
    std::function<bool(const HttpRequest&)> takes_long;   // any thread
  };

  struct Options {
    std::string socket;  // path; empty: none
    std::string listen;  // "127.0.0.1:8080", port 0: any; empty: no TCP
    // Of the controller, on TCP; nullopt: TCP is not encrypted
    std::optional<Identity> identity = std::nullopt;
    int threads = 4;
    int threads_for_long = 4;
  };

  // kInvalidArgument: no such address; kUnavailable: somebody else listens there.
  static Result<std::unique_ptr<HttpServer>> Start(const Options& options, Handler handler);
  virtual ~HttpServer() = default;

  virtual int tcp_port() const = 0;  // 0: none
  // Answers that go on may have more to say.  Any thread; waits for nothing.
  virtual void Wake() = 0;
  // Nothing more is read or sent.
  virtual void Shutdown() = 0;
};

}  // namespace gp
