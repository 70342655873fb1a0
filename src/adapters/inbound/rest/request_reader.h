#pragma once

// Bytes of one connection, as requests: bounded in header, body and what is read ahead, and refused
// where two readers could take them differently.  No socket, no thread.

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <optional>

#include "adapters/inbound/rest/http.h"

namespace gp {

class RequestReader {
 public:
  explicit RequestReader(uint64_t body_max) : body_max_(body_max) { Next(); }

  // What was read ahead belongs to the next request.
  void Next();
  // Where the next bytes go; never empty.
  boost::asio::mutable_buffer Room();

  enum class Progress { kNeedsMore, kWhole, kRefused };
  // So many bytes have come.  After kRefused the connection ends.
  Progress Take(size_t bytes);

  const HttpReply& refusal() const { return refusal_; }
  HttpRequest& request() { return request_; }
  unsigned version() const { return version_; }  // 10 or 11
  // Another request may come behind this one.  Not behind HEAD: whoever asked so would take our
  // body for the next answer.
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
