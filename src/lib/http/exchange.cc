#include "lib/http/exchange.h"

#include <algorithm>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cstdio>
#include <exception>

#include "lib/http/redirect.h"

namespace gp {
namespace {

namespace beast = boost::beast;

constexpr size_t kPiece = 64 << 10;          // bytes received at a time
constexpr size_t kJoinedBodyMax = 16 << 10;  // larger bodies are not copied behind their head
constexpr int kInterimMax = 20;              // responses with 1xx

bool IsSuccess(int status) { return status >= 200 && status < 300; }

Error TooLarge(const std::string& what, uint64_t max, const std::string& unit) {
  return {ErrorCode::kResourceExhausted,
          what + " of the response: more than the limit of " + std::to_string(max) + " " + unit};
}

// Beast's parser of one response, which passes the parts of it on.
class ResponseParser final : public beast::http::basic_parser<false> {
 public:
  ResponseParser(const HttpLimits& limits, bool has_no_body,
                 std::function<Status(std::string_view)> take)
      : headers_max_(limits.headers_max), take_(std::move(take)) {
    skip(has_no_body);
    header_limit(limits.header_bytes_max);
    body_limit(boost::none);  // the receiver of the pieces has one
  }

  WebResponse& response() { return response_; }
  // Why the parser ended with operation_canceled.
  const Status& refusal() const { return refusal_; }

 private:
  using Text = beast::string_view;
  using Code = beast::error_code;

  void Refuse(Error error, Code& code) {
    refusal_ = Fail(std::move(error));
    code = make_error_code(boost::system::errc::operation_canceled);
  }
  size_t Take(Text piece, Code& code) {
    if (Status taken = take_(std::string_view(piece.data(), piece.size())); !taken)
      Refuse(std::move(taken).error(), code);
    return piece.size();
  }

  void on_response_impl(int status, Text, int, Code&) override { response_.status = status; }
  void on_field_impl(beast::http::field, Text name, Text value, Code& code) override {
    if (static_cast<int>(response_.headers.size()) >= headers_max_)
      return Refuse(TooLarge("the headers", static_cast<uint64_t>(headers_max_), "headers"), code);
    response_.headers.emplace_back(std::string(name), std::string(value));
  }
  size_t on_body_impl(Text piece, Code& code) override { return Take(piece, code); }
  size_t on_chunk_body_impl(uint64_t, Text piece, Code& code) override { return Take(piece, code); }
  void on_request_impl(beast::http::verb, Text, Text, int, Code&) override {}
  void on_header_impl(Code&) override {}
  void on_body_init_impl(const boost::optional<uint64_t>&, Code&) override {}
  void on_chunk_header_impl(uint64_t, Text, Code&) override {}
  void on_finish_impl(Code&) override {}

  const int headers_max_;
  const std::function<Status(std::string_view)> take_;
  WebResponse response_;
  Status refusal_;
};

class RequestSender {
 public:
  RequestSender(Connection& connection, const WebRequest& request)
      : connection_(connection), request_(request) {}

  Status Send() {
    if (request_.source.next) {
      GP_CHECK_OK(Write(RequestHead(request_)));
      return request_.source.bytes ? SendKnown(*request_.source.bytes) : SendChunks();
    }
    // One packet, where it fits
    if (request_.body.size() <= kJoinedBodyMax) return Write(RequestHead(request_) + request_.body);
    GP_CHECK_OK(Write(RequestHead(request_)));
    return Write(request_.body);
  }

  bool has_begun() const { return has_begun_; }
  // Whether the connection broke; the other side may have responded before.
  bool was_cut_off() const { return was_cut_off_; }

 private:
  Status Write(std::string_view bytes) {
    has_begun_ = true;
    Status sent = connection_.Send(bytes);
    was_cut_off_ = !sent && sent.error().code == ErrorCode::kUnavailable;
    return sent;
  }
  Status SendKnown(uint64_t left) {
    while (true) {
      const std::string piece = GP_TRY(request_.source.next());
      if (piece.size() > left || (piece.empty() && left > 0))
        return Fail(InvalidArgument("the body has another length than announced"));
      if (piece.empty()) return Ok();
      GP_CHECK_OK(Write(piece));
      left -= piece.size();
    }
  }
  Status SendChunks() {
    while (true) {
      const std::string piece = GP_TRY(request_.source.next());
      char size[20];
      std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
      GP_CHECK_OK(Write(size + piece + "\r\n"));
      if (piece.empty()) return Ok();
    }
  }

  Connection& connection_;
  const WebRequest& request_;
  bool has_begun_ = false;
  bool was_cut_off_ = false;
};

class ResponseReader {
 public:
  ResponseReader(Connection& connection, const WebRequest& request, const FetchOptions& options)
      : connection_(connection),
        options_(options),
        is_head_(request.method == "HEAD"),
        buffer_(options.limits.header_bytes_max + kPiece) {}

  Status Read() {
    GP_CHECK_OK(ReadHead());
    const WebResponse& head = parser_->response();
    if (options_.redirects_max > 0 && IsRedirect(head.status)) return Ok();
    if (options_.on_head) GP_CHECK_OK(options_.on_head(head));
    while (!parser_->is_done() && !is_full_) GP_CHECK_OK(Parse());
    return Ok();
  }

  // What has arrived; nullopt: not all headers of the response.
  std::optional<WebResponse> TakeResponse() {
    if (!has_head_) return std::nullopt;
    return std::move(parser_->response());
  }

 private:
  // Responses before the final one (1xx) are skipped.
  Status ReadHead() {
    for (int i = 0; i <= kInterimMax; ++i) {
      parser_.emplace(options_.limits, is_head_,
                      [this](std::string_view piece) { return Take(piece); });
      while (!parser_->is_header_done()) GP_CHECK_OK(Parse());
      has_head_ = parser_->response().status >= 200;
      if (has_head_) return Ok();
    }
    return Fail(Unavailable("it says that it goes on, and never responds"));
  }

  Status Take(std::string_view piece) {
    WebResponse& response = parser_->response();
    if (IsSuccess(response.status) && options_.sink) return options_.sink(piece);
    const uint64_t room = options_.limits.body_bytes_max - response.body.size();
    response.body.append(piece.substr(0, room));
    is_full_ = piece.size() > room;
    if (!is_full_ || !IsSuccess(response.status)) return Ok();
    return Fail(TooLarge("the body", options_.limits.body_bytes_max, "bytes"));
  }

  // Parses what is buffered, or receives more.
  Status Parse() {
    beast::error_code error = beast::http::error::need_more;
    if (buffer_.size() > 0) buffer_.consume(parser_->put(buffer_.data(), error));
    if (error == beast::http::error::need_more) return Fill();
    return Judge(error);
  }
  Status Fill() {
    const size_t room = std::min(kPiece, buffer_.max_size() - buffer_.size());
    if (room == 0) return Judge(beast::http::error::header_limit);
    const auto place = buffer_.prepare(room);
    const size_t bytes =
        GP_TRY(connection_.Receive({static_cast<char*>(place.data()), place.size()}));
    buffer_.commit(bytes);
    if (bytes > 0) return Ok();
    beast::error_code error = beast::http::error::end_of_stream;
    if (parser_->got_some()) parser_->put_eof(error = {});
    return Judge(error);
  }
  Status Judge(const beast::error_code& error) const {
    if (!error) return Ok();
    if (!parser_->refusal()) return parser_->refusal();
    if (error == beast::http::error::header_limit)
      return Fail(TooLarge("the headers", options_.limits.header_bytes_max, "bytes"));
    return Fail(Unavailable(error.message()));
  }

  Connection& connection_;
  const FetchOptions& options_;
  const bool is_head_;
  beast::flat_buffer buffer_;
  std::optional<ResponseParser> parser_;
  bool has_head_ = false;
  bool is_full_ = false;
};

}  // namespace

// Beast and Asio throw when memory or descriptors are used up.
ExchangeEnd Exchange(Connection& connection, const WebRequest& request,
                     const FetchOptions& options) {
  ExchangeEnd end;
  RequestSender sender(connection, request);
  ResponseReader reader(connection, request, options);
  try {
    const Status sent = sender.Send();
    end.status = sent;
    if (sent || sender.was_cut_off()) end.status = reader.Read();
    end.response = reader.TakeResponse();
    if (!sent && !end.response) end.status = sent;
  } catch (const std::exception& error) {
    end.status = Fail(Unavailable(error.what()));
  }
  end.may_be_received = sender.has_begun();
  return end;
}

}  // namespace gp
