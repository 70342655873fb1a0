#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <optional>

#include "adapters/inbound/rest/http.h"

namespace gp {

// Parses the bytes of one connection into requests.  It limits headers, bodies and read-ahead, and
// refuses requests that two parsers could understand differently.  It has no socket and no thread.
class RequestReader {
 public:
  explicit RequestReader(uint64_t body_max) : body_max_(body_max) { Next(); }

  // Begins the next request with the bytes read ahead.
  void Next();
  // The buffer for the next bytes; never empty.
  boost::asio::mutable_buffer Room();

  enum class Progress { kNeedsMore, kWhole, kRefused };
  // Parses `bytes` new bytes in Room().  After kRefused the connection must end.
  Progress Take(size_t bytes);

  const HttpReply& refusal() const { return refusal_; }
  HttpRequest& request() { return request_; }
  unsigned version() const { return version_; }  // 10 or 11
  // Whether another request may follow.  Not after HEAD: the client would read our body as the next
  // answer.
  bool may_go_on() const { return may_go_on_; }

 private:
  Progress Parse();
  Progress Refuse(HttpReply why);
  Progress Refuse(const boost::system::error_code& error);
  Status TakeHead();

  const uint64_t body_max_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  bool has_head_ = false;
  bool may_go_on_ = false;
  unsigned version_ = 11;
  HttpRequest request_;
  HttpReply refusal_;
};

}  // namespace gp
