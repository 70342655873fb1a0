#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <atomic>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "adapters/inbound/api/peer.h"
#include "adapters/inbound/rest/http_server.h"
#include "adapters/inbound/rest/lane.h"
#include "adapters/inbound/rest/problem.h"
#include "adapters/inbound/rest/request_reader.h"
#include "base/ignore_result.h"

namespace gp {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = net::ip::tcp;
namespace ssl = net::ssl;
using Local = net::local::stream_protocol;
// One type for local sockets and TCP: each further stream type costs half a minute of compilation.
using PlainStream = beast::basic_stream<net::generic::stream_protocol>;
using HiddenStream = beast::ssl_stream<PlainStream>;

inline constexpr auto kHandshakeTime = std::chrono::seconds(10);
// From the start of reading to the last byte
inline constexpr auto kRequestTime = std::chrono::seconds(30);
inline constexpr auto kAnswerTime = std::chrono::seconds(30);
// Bytes.  The limits apply before the caller is identified, so TCP has a lower one.
inline constexpr uint64_t kBodyMaxLocal = 16 << 20;
inline constexpr uint64_t kBodyMaxTcp = 2 << 20;

// State that all connections share.
struct Shared {
  HttpServer::Handler handler;
  net::thread_pool long_work;
  std::optional<ssl::context> tls;  // nullopt: nothing is encrypted
  std::atomic<bool> is_ending = false;
  // Open connections; they may outlive their listener.
  std::atomic<size_t> open_local = 0;
  std::atomic<size_t> open_tcp = 0;
};

// Detects a peer whose machine has vanished within two minutes.
inline void NoticeLoss(int socket) {
  const int on = 1;
  const int idle_s = 60;
  const int every_s = 15;
  const int times = 4;
  IgnoreResult(setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on),
               "an idle peer is noticed later");
  IgnoreResult(setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s),
               "an idle peer is noticed later");
  IgnoreResult(setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof every_s),
               "an idle peer is noticed later");
  IgnoreResult(setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times),
               "an idle peer is noticed later");
}

// The other end of a connection.
struct FarEnd {
  std::string from;          // "unix", or address and port
  std::optional<User> peer;  // of a local socket, as the kernel reports it
  uint64_t body_max;         // bytes
};

inline FarEnd FarEndOf(Local::socket& socket) {
  const auto peer = PeerOf(socket.native_handle());
  return {"unix", peer ? std::optional(*peer) : std::nullopt, kBodyMaxLocal};
}

inline FarEnd FarEndOf(Tcp::socket& socket) {
  boost::system::error_code error;
  const auto peer = socket.remote_endpoint(error);
  return {error ? "" : peer.address().to_string() + ":" + std::to_string(peer.port()), std::nullopt,
          kBodyMaxTcp};
}

// One connection: reads a request, answers it, and repeats.  Its lane's thread calls it.
template <typename Stream>
class Session : public Streaming, public std::enable_shared_from_this<Session<Stream>> {
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
  ~Session() override { --open_; }
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

  template <typename Head>
  static void SetFields(Head& head, const HttpReply& reply) {
    head.set(http::field::content_type, reply.content_type);
    head.set(http::field::cache_control, "no-store");
    head.set(http::field::server, "gpu-platform");
    head.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : reply.headers) head.set(name, value);
  }

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
    source_ = std::move(reply.stream);
    head_.emplace(static_cast<http::status>(reply.status), 11);
    SetFields(*head_, reply);
    head_->chunked(true);
    head_->keep_alive(false);
    const std::weak_ptr<Session> weak = this->weak_from_this();
    source_->OnNews([weak, executor = stream_.get_executor()] {
      net::post(executor, [weak] {
        if (const auto self = weak.lock()) self->Push(false);
      });
    });
    lane_.Add(this->shared_from_this());
    begun_.expires_at(std::chrono::steady_clock::time_point::max());
    // Keeps the session alive until the result of the call is known
    begun_.async_wait([self = this->shared_from_this()](const boost::system::error_code&) {});
    Push(false);
  }

  void SendHead() {
    serializer_.emplace(*head_);
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
    Send(ProblemOf(why), false);
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
  // For a streaming answer:
  std::shared_ptr<HttpStream> source_;  // nullptr: none, or the client is gone
  std::optional<http::response<http::empty_body>> head_;
  std::optional<http::response_serializer<http::empty_body>> serializer_;
  net::steady_timer begun_{stream_.get_executor()};
  std::string piece_;
  bool is_sending_ = false;
  char nothing_ = 0;
};

}  // namespace gp
