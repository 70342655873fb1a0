#pragma once

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "adapters/inbound/rest/connection.h"
#include "adapters/inbound/rest/lane.h"

namespace gp {

// A streaming answer on a connection, which ends with it.  The lane's thread calls it.
template <typename Stream>
class StreamedAnswer : public Streaming,
                       public std::enable_shared_from_this<StreamedAnswer<Stream>> {
 public:
  // Answers with the error of a call that did not succeed.  It keeps the connection alive, and with
  // it `stream`.
  using Refusal = std::function<void(const Error& why)>;

  StreamedAnswer(Stream& stream, HttpReply reply, Refusal refuse)
      : refuse_(std::move(refuse)),
        stream_(stream),
        source_(std::move(reply.stream)),
        head_(static_cast<http::status>(reply.status), 11) {
    SetFields(head_, reply);
    head_.chunked(true);
    head_.keep_alive(false);
  }

  void Begin(Lane& lane) {
    const std::weak_ptr<StreamedAnswer> weak = this->weak_from_this();
    source_->OnNews([weak, executor = stream_.get_executor()] {
      net::post(executor, [weak] {
        if (const auto self = weak.lock()) self->Push(false);
      });
    });
    lane.Add(this->shared_from_this());
    begun_.expires_at(std::chrono::steady_clock::time_point::max());
    // Keeps this alive until the result of the call is known
    begun_.async_wait([self = this->shared_from_this()](const boost::system::error_code&) {});
    Push(false);
  }

 private:
  auto& lowest() { return beast::get_lowest_layer(stream_); }

  void SendHead() {
    serializer_.emplace(head_);
    is_sending_ = true;
    lowest().expires_after(kAnswerTime);
    http::async_write_header(
        stream_, *serializer_,
        [self = this->shared_from_this()](const boost::system::error_code& error, size_t) {
          self->is_sending_ = false;
          if (error) self->source_ = nullptr;
          if (!error) self->AwaitGone();
          self->Push(false);
        });
  }

  // A client sends nothing during a streaming answer: anything readable means that it is gone.
  void AwaitGone() {
    lowest().expires_never();
    stream_.async_read_some(
        net::buffer(&nothing_, 1),
        [self = this->shared_from_this()](const boost::system::error_code&, size_t) {
          self->source_ = nullptr;
          beast::get_lowest_layer(self->stream_).cancel();
        });
  }

  void Push(bool is_beat) override {
    if (source_ == nullptr) return;
    std::string beat = is_beat ? source_->Heartbeat() : "";
    if (is_sending_ || !source_->HasBegun()) return;
    if (!serializer_) {
      begun_.cancel();
      // The result of the call is known: a stream or an error.
      const auto failure = source_->Failure();
      return failure ? Refuse(*failure) : SendHead();
    }
    auto piece = source_->Take();
    if (!piece) return EndStream();
    if (piece->empty()) piece = std::move(beat);
    if (piece->empty()) return;
    is_sending_ = true;
    // A client that reads too slowly is disconnected; it can resume where it was.
    lowest().expires_after(kAnswerTime);
    piece_ = *std::move(piece);
    net::async_write(
        stream_, http::make_chunk(net::buffer(piece_)),
        [self = this->shared_from_this()](const boost::system::error_code& error, size_t) {
          self->is_sending_ = false;
          if (error) self->source_ = nullptr;
          self->Push(false);
        });
  }

  void Refuse(const Error& why) {
    source_ = nullptr;
    refuse_(why);
  }

  // Sends the last chunk only if the answer is complete.
  void EndStream() {
    const bool is_whole = !source_->Failure();
    source_ = nullptr;
    if (!is_whole) return beast::get_lowest_layer(stream_).close();
    is_sending_ = true;
    lowest().expires_after(kAnswerTime);
    net::async_write(stream_, http::make_chunk_last(),
                     [self = this->shared_from_this()](const boost::system::error_code&, size_t) {
                       beast::get_lowest_layer(self->stream_).cancel();
                     });
  }

  const Refusal refuse_;
  Stream& stream_;
  std::shared_ptr<HttpStream> source_;  // nullptr: the answer has ended, or the client is gone
  http::response<http::empty_body> head_;
  std::optional<http::response_serializer<http::empty_body>> serializer_;
  net::steady_timer begun_{stream_.get_executor()};
  std::string piece_;
  bool is_sending_ = false;
  char nothing_ = 0;
};

}  // namespace gp
