#pragma once

// What the connections over HTTP share: their types of streams, their limits, who is at the other
// end, and the head of each answer.

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <atomic>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "adapters/inbound/api/callers/peer.h"
#include "adapters/inbound/rest/http_server.h"
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

template <typename Head>
void SetFields(Head& head, const HttpReply& reply) {
  head.set(http::field::content_type, reply.content_type);
  head.set(http::field::cache_control, "no-store");
  head.set(http::field::server, "gpu-platform");
  head.set("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : reply.headers) head.set(name, value);
}

}  // namespace gp
