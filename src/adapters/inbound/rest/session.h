#pragma once

#include <atomic>
#include <boost/asio/post.hpp>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "adapters/inbound/rest/connection.h"
#include "adapters/inbound/rest/lane.h"
#include "adapters/inbound/rest/problem.h"
#include "adapters/inbound/rest/request_reader.h"
#include "adapters/inbound/rest/streamed_answer.h"

namespace gp {

// One connection: reads a request, answers it, and repeats.  Its lane's thread calls it.
template <typename Stream>
class Session : public std::enable_shared_from_this<Session<Stream>> {
 public:
  // `open`: counts the connections of this kind.
  template <typename Socket>
  Session(Socket socket, FarEnd far_end, Shared& shared, Lane& lane, std::atomic<size_t>& open)
      : stream_(MakeStream(std::move(socket), shared)),
        shared_(shared),
        lane_(lane),
        open_(open),
        far_end_(std::move(far_end)) {
    ++open_;
  }
  ~Session() { --open_; }
  auto executor() { return stream_.get_executor(); }

  void Begin() {
    if constexpr (std::is_same_v<Stream, HiddenStream>) {
      lowest().expires_after(kHandshakeTime);
      stream_.async_handshake(
          ssl::stream_base::server,
          [self = this->shared_from_this()](const boost::system::error_code& error) {
            if (!error) self->Read();
          });
    } else {
      Read();
    }
  }

 private:
  auto& lowest() { return beast::get_lowest_layer(stream_); }

  template <typename Socket>
  static Stream MakeStream(Socket socket, Shared& shared) {
    if constexpr (std::is_same_v<Stream, HiddenStream>) {
      return Stream(std::move(socket), *shared.tls);
    } else {
      (void)shared;
      return Stream(std::move(socket));
    }
  }

  void Read() {
    reader_.Next();
    lowest().expires_after(kRequestTime);
    Go(reader_.Take(0));
  }

  void Go(RequestReader::Progress progress) {
    if (progress == RequestReader::Progress::kRefused) return Send(reader_.refusal(), false);
    if (progress == RequestReader::Progress::kWhole) return AnswerIt();
    stream_.async_read_some(
        reader_.Room(),
        [self = this->shared_from_this()](const boost::system::error_code& error, size_t bytes) {
          if (!error) self->Go(self->reader_.Take(bytes));
          // On an error the peer is gone or timed out, or the server ends: no answer.
        });
  }

  void AnswerIt() {
    HttpRequest& request = reader_.request();
    request.from = far_end_.from;
    request.peer = far_end_.peer;
    if (!shared_.handler.takes_long(request)) return Send(Answer(request), MayGoOn());
    net::post(shared_.long_work, [self = this->shared_from_this()] {
      HttpReply reply = self->Answer(self->reader_.request());
      net::post(self->stream_.get_executor(), [self, reply = std::move(reply)]() mutable {
        self->Send(std::move(reply), self->MayGoOn());
      });
    });
  }

  // An exception in one answer must not end the process.
  HttpReply Answer(const HttpRequest& request) const {
    try {
      return shared_.handler.answer(request);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "gpu-platform: an answer over HTTP failed: %s\n", error.what());
      return ProblemWithStatus(500, "the controller failed to answer");
    }
  }

  bool MayGoOn() const { return reader_.may_go_on() && !shared_.is_ending; }

  void Send(HttpReply reply, bool keep_alive) {
    if (reply.stream != nullptr) return BeginStream(std::move(reply));
    reply_.emplace(static_cast<http::status>(reply.status), reader_.version());
    SetFields(*reply_, reply);
    reply_->body() = std::move(reply.body);
    reply_->keep_alive(keep_alive);
    reply_->prepare_payload();
    // A 304 has no body, so it must not have the length of one
    if (reply.status == 304) reply_->erase(http::field::content_length);
    lowest().expires_after(kAnswerTime);
    http::async_write(stream_, *reply_,
                      [self = this->shared_from_this(), keep_alive](
                          const boost::system::error_code& error, size_t) {
                        if (!error && keep_alive) return self->Read();
                        self->End();
                      });
  }

  void BeginStream(HttpReply reply) {
    const auto refuse = [self = this->shared_from_this()](const Error& why) {
      self->Send(ProblemOf(why), false);
    };
    std::make_shared<StreamedAnswer<Stream>>(stream_, std::move(reply), refuse)->Begin(lane_);
  }

  void End() {
    if constexpr (std::is_same_v<Stream, HiddenStream>) {
      lowest().expires_after(kAnswerTime);
      stream_.async_shutdown(
          [self = this->shared_from_this()](const boost::system::error_code&) {});
    } else {
      boost::system::error_code ignored;
      lowest().socket().shutdown(net::socket_base::shutdown_send, ignored);
    }
  }

  Stream stream_;
  Shared& shared_;
  Lane& lane_;
  std::atomic<size_t>& open_;
  const FarEnd far_end_;
  RequestReader reader_{far_end_.body_max};
  std::optional<http::response<http::string_body>> reply_;
};

}  // namespace gp
