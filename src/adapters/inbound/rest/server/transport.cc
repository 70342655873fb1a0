#include "adapters/inbound/rest/server/transport.h"

#include <array>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <utility>

namespace gp {
namespace {

namespace net = boost::asio;
using boost::system::error_code;
using Pieces = std::array<net::const_buffer, 2>;

Pieces PiecesOf(std::string_view head, std::string_view body) {
  return {net::buffer(head.data(), head.size()), net::buffer(body.data(), body.size())};
}

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(Socket socket)
      : Transport(socket.get_executor()), socket_(std::move(socket)) {}

  void Begin(Done done) override { done({}, 0); }
  void ReadSome(net::mutable_buffer room, Done done) override {
    socket_.async_read_some(room, std::move(done));
  }
  void Write(std::string_view head, std::string_view body, Done done) override {
    net::async_write(socket_, PiecesOf(head, body), std::move(done));
  }
  void End(Done done) override {
    error_code error;
    socket_.shutdown(net::socket_base::shutdown_send, error);
    done(error, 0);
  }

 private:
  Socket& socket() override { return socket_; }

  Socket socket_;
};

class TlsTransport final : public Transport {
 public:
  TlsTransport(Socket socket, net::ssl::context& tls)
      : Transport(socket.get_executor()), stream_(std::move(socket), tls) {}

  void Begin(Done done) override {
    stream_.async_handshake(net::ssl::stream_base::server,
                            [done = std::move(done)](const error_code& error) { done(error, 0); });
  }
  void ReadSome(net::mutable_buffer room, Done done) override {
    stream_.async_read_some(room, std::move(done));
  }
  // One record, where it is small.
  void Write(std::string_view head, std::string_view body, Done done) override {
    if (head.size() + body.size() > kRecordMax)
      return net::async_write(stream_, PiecesOf(head, body), std::move(done));
    joined_.assign(head).append(body);
    net::async_write(stream_, PiecesOf(joined_, {}), std::move(done));
  }
  void End(Done done) override {
    stream_.async_shutdown([done = std::move(done)](const error_code& error) { done(error, 0); });
  }

 private:
  Socket& socket() override { return stream_.next_layer(); }

  static constexpr size_t kRecordMax = 16 << 10;  // bytes, of TLS

  net::ssl::stream<Socket> stream_;
  std::string joined_;
};

}  // namespace

std::shared_ptr<Transport> Transport::Make(Socket socket, net::ssl::context* tls) {
  if (tls == nullptr) return std::make_shared<PlainTransport>(std::move(socket));
  return std::make_shared<TlsTransport>(std::move(socket), *tls);
}

void Transport::ExpiresAfter(std::chrono::seconds limit) {
  limit_.expires_after(limit);
  limit_.async_wait([weak = weak_from_this()](const error_code& error) {
    const auto self = weak.lock();
    // The time may have been set again while this call was already due.
    if (error || self == nullptr || self->limit_.expiry() > net::steady_timer::clock_type::now())
      return;
    self->Close();
  });
}

void Transport::ExpiresNever() { limit_.expires_at(net::steady_timer::time_point::max()); }

void Transport::Close() {
  error_code ignored;
  socket().close(ignored);
}

}  // namespace gp
