#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/inbound/rest/http.h"
#include "base/result.h"
#include "lib/tls/certificate.h"

namespace gp {

// HTTP/1.1 on a Unix socket and optionally a TCP address.  Each of a few threads serves its own
// connections and answers most requests itself; long requests run on separate threads.  The server
// limits headers, bodies, times and the number of connections.
class HttpServer {
 public:
  struct Handler {
    std::function<HttpReply(const HttpRequest&)> answer;  // any thread; may wait
    std::function<bool(const HttpRequest&)> takes_long;   // any thread
  };

  struct Options {
    std::string socket;  // path; empty: none
    std::string listen;  // "127.0.0.1:8080", port 0: any; empty: no TCP
    // Of the controller, for TCP; nullopt: no TLS
    std::optional<Identity> identity = std::nullopt;
    int threads = 4;
    int threads_for_long = 4;
  };

  // kInvalidArgument: not an address; kUnavailable: it cannot listen there.
  static Result<std::unique_ptr<HttpServer>> Start(const Options& options, Handler handler);
  virtual ~HttpServer() = default;

  virtual int tcp_port() const = 0;  // 0: none
  // Streaming answers may have more to send.  Any thread; does not wait.
  virtual void Wake() = 0;
  // Stops reading and sending.
  virtual void Shutdown() = 0;
};

}  // namespace gp
