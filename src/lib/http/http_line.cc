#include "lib/http/http_line.h"

#include <poll.h>
#include <sched.h>
#include <sys/un.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>

namespace gp {
namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using Local = net::local::stream_protocol;

constexpr uint64_t kBodyMax = 256 << 20;
constexpr auto kLook = std::chrono::microseconds(1500);

Error TooLarge() {
  return {ErrorCode::kResourceExhausted,
          "the answer is larger than " + std::to_string(kBodyMax >> 20) +
              " MiB: ask for less at once, such as with a smaller --limit"};
}

class BeastLine : public HttpLine {
 public:
  explicit BeastLine(std::string path) : path_(std::move(path)), socket_(context_) {}

  Status Connect() {
    if (path_.size() >= sizeof(sockaddr_un::sun_path))
      return Fail(InvalidArgument(path_ + ": too long for a socket"));
    boost::system::error_code error;
    socket_ = Local::socket(context_);
    buffer_.clear();
    socket_.connect(Local::endpoint(path_), error);
    return error ? Fail(Unavailable(path_ + ": " + error.message())) : Ok();
  }

  Result<HttpAnswer> Post(const std::string& target, const HttpHeaders& headers,
                          std::string body) override {
    if (WasClosed()) GP_CHECK_OK(Connect());
    http::request<http::string_body> request(http::verb::post, target, 11);
    request.set(http::field::host, "localhost");
    for (const auto& [name, value] : headers) request.set(name, value);
    request.body() = std::move(body);
    request.prepare_payload();
    boost::system::error_code error;
    http::write(socket_, request, error);
    http::response_parser<http::string_body> parser;
    parser.body_limit(kBodyMax);
    if (!error) LookForAnswer();
    if (!error) http::read(socket_, buffer_, parser, error);
    if (error || !parser.get().keep_alive()) Close();
    if (error == http::error::body_limit) return Fail(TooLarge());
    if (error) return Fail(Unavailable("the controller went away: " + error.message()));
    return HttpAnswer{static_cast<int>(parser.get().result_int()), std::move(parser.get().body())};
  }

 private:
  // Whether the server has closed the connection, as it does after a long idle time: anything
  // readable now is the end.
  bool WasClosed() {
    if (!socket_.is_open()) return true;
    pollfd check{socket_.native_handle(), POLLIN, 0};
    return poll(&check, 1, 0) != 0;
  }
  // Most answers come within a millisecond.  A core that sleeps for that time needs a good part of
  // it to wake up, and the controller meanwhile waits for its disk.  So this polls and yields to
  // other threads.
  void LookForAnswer() {
    const auto until = std::chrono::steady_clock::now() + kLook;
    pollfd check{socket_.native_handle(), POLLIN, 0};
    while (poll(&check, 1, 0) == 0 && std::chrono::steady_clock::now() < until) sched_yield();
  }
  void Close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
  }

  const std::string path_;
  net::io_context context_;
  Local::socket socket_;
  boost::beast::flat_buffer buffer_;
};

}  // namespace

Result<std::unique_ptr<HttpLine>> HttpLine::Open(const std::string& socket) {
  auto line = std::make_unique<BeastLine>(socket);
  GP_CHECK_OK(line->Connect());
  return line;
}

}  // namespace gp
