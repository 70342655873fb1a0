#include "adapters/inbound/rest/server/request_reader.h"

#include <boost/beast/http/error.hpp>
#include <string_view>

#include "adapters/inbound/rest/problem.h"
#include "adapters/inbound/rest/server/framing.h"

namespace gp {
namespace {

namespace http = boost::beast::http;

constexpr uint32_t kHeaderMax = 16 << 10;
constexpr size_t kBufferMax = 64 << 10;

std::optional<std::string> FieldOf(const http::fields& fields, http::field name) {
  const auto found = fields.find(name);
  if (found == fields.end()) return std::nullopt;
  return std::string(found->value());
}

std::optional<std::string> FieldOf(const http::fields& fields, const char* name) {
  const auto found = fields.find(name);
  if (found == fields.end()) return std::nullopt;
  return std::string(found->value());
}

// Some parsers join a header line that begins with a space to the line before, and the library
// hides that.  `bytes`: not parsed yet.
bool HasFoldedLine(std::string_view bytes) {
  if (bytes.starts_with("\r\n")) return false;  // the header's end; a body follows
  const std::string_view header = bytes.substr(0, bytes.find("\r\n\r\n"));
  return header.find("\n ") != std::string_view::npos ||
         header.find("\n\t") != std::string_view::npos;
}

}  // namespace

void RequestReader::Next() {
  parser_.emplace();
  parser_->body_limit(body_max_);
  parser_->header_limit(kHeaderMax);
  has_head_ = false;
  may_go_on_ = false;
  request_ = {};
}

boost::asio::mutable_buffer RequestReader::Room() {
  return buffer_.prepare(kBufferMax - buffer_.size());
}

RequestReader::Progress RequestReader::Take(size_t bytes) {
  buffer_.commit(bytes);
  return Parse();
}

RequestReader::Progress RequestReader::Parse() {
  while (buffer_.size() > 0) {
    const std::string_view bytes(static_cast<const char*>(buffer_.data().data()), buffer_.size());
    if (!has_head_ && HasFoldedLine(bytes))
      return Refuse(ProblemWithStatus(400, "a line of the header begins with a space"));
    boost::system::error_code error;
    buffer_.consume(parser_->put(buffer_.data(), error));
    if (error == http::error::need_more) break;
    if (error) return Refuse(error);
    if (parser_->is_header_done() && !has_head_) {
      if (const Status sound = TakeHead(); !sound) return Refuse(ProblemOf(sound.error()));
    }
    if (parser_->is_done()) {
      request_.body = std::move(parser_->get().body());
      return Progress::kWhole;
    }
  }
  if (buffer_.size() == kBufferMax)
    return Refuse(has_head_ ? ProblemWithStatus(
                                  400, "a chunk's line, or what is behind the chunks, is too long")
                            : ProblemWithStatus(431, "a header has at most 16 KiB"));
  return Progress::kNeedsMore;
}

// Only fields before the body count: a proxy on the way cannot check trailers in time.
Status RequestReader::TakeHead() {
  const auto& head = parser_->get();
  has_head_ = true;
  version_ = head.version();
  GP_CHECK_OK(CheckFraming(head, version_));
  may_go_on_ = head.keep_alive() && head.method() != http::verb::head;
  request_.method = std::string(head.method_string());
  request_.target = std::string(head.target());
  request_.authorization = FieldOf(head, http::field::authorization);
  request_.content_type = FieldOf(head, http::field::content_type);
  request_.idempotency_key = FieldOf(head, "Idempotency-Key");
  request_.host = FieldOf(head, http::field::host);
  request_.origin = FieldOf(head, http::field::origin);
  request_.last_event_id = FieldOf(head, "Last-Event-ID");
  request_.accept = FieldOf(head, http::field::accept);
  request_.if_none_match = FieldOf(head, http::field::if_none_match);
  // Parsers differ in where a chunk extension ends.
  static auto refuse_extensions = [](uint64_t, boost::beast::string_view extensions,
                                     boost::system::error_code& error) {
    if (!extensions.empty()) error = make_error_code(http::error::bad_chunk_extension);
  };
  parser_->on_chunk_header(refuse_extensions);
  return Ok();
}

RequestReader::Progress RequestReader::Refuse(HttpReply why) {
  refusal_ = std::move(why);
  return Progress::kRefused;
}

RequestReader::Progress RequestReader::Refuse(const boost::system::error_code& error) {
  if (error == http::error::body_limit)
    return Refuse(
        ProblemWithStatus(413, "a body has at most " + std::to_string(body_max_ >> 20) + " MiB"));
  if (error == http::error::header_limit)
    return Refuse(ProblemWithStatus(431, "a header has at most 16 KiB"));
  return Refuse(ProblemWithStatus(400, "this is no HTTP/1.1: " + error.message()));
}

}  // namespace gp
