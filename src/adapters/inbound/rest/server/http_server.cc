#include "adapters/inbound/rest/server/http_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <deque>
#include <thread>
#include <vector>

#include "adapters/inbound/api/peer.h"
#include "adapters/inbound/rest/server/limits.h"
#include "adapters/inbound/rest/server/session.h"
#include "base/ignore_result.h"
#include "base/text.h"

namespace gp {
namespace {

namespace net = boost::asio;
namespace ssl = net::ssl;
using Tcp = net::ip::tcp;
using Local = net::local::stream_protocol;

constexpr size_t kConnectionsMax = 4'096;  // of each kind, local and TCP

// Detects a peer whose machine has vanished within two minutes.
void NoticeLoss(int socket) {
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

FarEnd FarEndOf(Local::socket& socket) {
  const auto peer = PeerOf(socket.native_handle());
  return {"unix", peer ? std::optional(*peer) : std::nullopt, kBodyMaxLocal};
}

FarEnd FarEndOf(Tcp::socket& socket) {
  boost::system::error_code error;
  const auto peer = socket.remote_endpoint(error);
  return {error ? "" : peer.address().to_string() + ":" + std::to_string(peer.port()), std::nullopt,
          kBodyMaxTcp};
}

// Accepts connections and assigns them to the lanes in turn.  Runs on the lanes' threads.
template <typename Protocol>
class Listener {
 public:
  Listener(std::deque<Lane>& lanes, Shared& shared)
      : lanes_(lanes), shared_(shared), acceptor_(lanes.front().context()) {}

  Status Open(const typename Protocol::endpoint& endpoint, const std::string& name) {
    boost::system::error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error && std::is_same_v<Protocol, Tcp>)
      acceptor_.set_option(net::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(1'024, error);
    if (error) return Fail(Unavailable("cannot listen on " + name + ": " + error.message()));
    return Ok();
  }
  typename Protocol::acceptor& acceptor() { return acceptor_; }

  void Accept() {
    Lane& lane = lanes_[next_++ % lanes_.size()];
    acceptor_.async_accept(lane.context(), [this, &lane](const boost::system::error_code& error,
                                                         typename Protocol::socket socket) {
      if (shared_.is_ending || error == net::error::operation_aborted) return;
      // Beyond the limit the new connection is closed.
      if (!error && open_ < kConnectionsMax) Begin(std::move(socket), lane);
      if (error) usleep(10'000);  // for example out of file descriptors: let others finish
      Accept();
    });
  }

 private:
  void Begin(typename Protocol::socket socket, Lane& lane) {
    ssl::context* tls = nullptr;
    if constexpr (std::is_same_v<Protocol, Tcp>) {
      boost::system::error_code ignored;
      socket.set_option(Tcp::no_delay(true), ignored);
      NoticeLoss(socket.native_handle());
      if (shared_.tls) tls = &*shared_.tls;
    }
    FarEnd far_end = FarEndOf(socket);
    auto transport = Transport::Make(Transport::Socket(std::move(socket)), tls);
    auto session = std::make_shared<Session>(transport, std::move(far_end), shared_, lane, open_);
    // Runs on the connection's lane's thread.
    net::post(transport->executor(), [session] { session->Begin(); });
  }

  std::deque<Lane>& lanes_;
  Shared& shared_;
  size_t next_ = 0;
  std::atomic<size_t>& open_ =
      std::is_same_v<Protocol, Local> ? shared_.open_local : shared_.open_tcp;
  typename Protocol::acceptor acceptor_;
};

Result<Tcp::endpoint> EndpointOf(const std::string& listen) {
  const size_t colon = listen.rfind(':');
  const auto port = colon == std::string::npos ? Result<int64_t>(Fail(InvalidArgument("")))
                                               : ParseCount(listen.substr(colon + 1));
  if (!port || *port > 65'535)
    return Fail(
        InvalidArgument("\"" + Printable(listen, 60) + "\" is no address such as 127.0.0.1:8080"));
  std::string host = listen.substr(0, colon);
  if (host.starts_with("[") && host.ends_with("]")) host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  const auto address = net::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
  if (error)
    return Fail(
        InvalidArgument("\"" + Printable(listen, 60) +
                        "\": the address must be numbers, as 127.0.0.1:8080 or [::1]:8080"));
  return Tcp::endpoint(address, static_cast<unsigned short>(*port));
}

Result<ssl::context> TlsOf(const Identity& identity) {
  ssl::context context(ssl::context::tls_server);
  boost::system::error_code error;
  context.set_options(
      ssl::context::default_workarounds | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1, error);
  if (!error) context.use_certificate_chain(net::buffer(identity.certificate), error);
  if (!error) context.use_private_key(net::buffer(identity.key), ssl::context::pem, error);
  if (error) return Fail(InvalidArgument("the controller's certificate: " + error.message()));
  return context;
}

class BeastServer : public HttpServer {
 public:
  BeastServer(const Options& options, Handler handler)
      : shared_{std::move(handler), net::thread_pool(static_cast<size_t>(options.threads_for_long)),
                std::nullopt},
        lanes_(static_cast<size_t>(options.threads)),
        local_(lanes_, shared_),
        tcp_(lanes_, shared_) {}
  ~BeastServer() override { Shutdown(); }

  Status Listen(const Options& options) {
    if (options.identity) shared_.tls = GP_TRY(TlsOf(*options.identity));
    if (!options.socket.empty()) {
      if (options.socket.size() >= sizeof(sockaddr_un::sun_path))
        return Fail(InvalidArgument(options.socket + ": too long for a socket"));
      unlink(options.socket.c_str());
      GP_CHECK_OK(local_.Open(Local::endpoint(options.socket), options.socket));
      chmod(options.socket.c_str(), 0666);  // the kernel reports each caller
      local_.Accept();
    }
    if (!options.listen.empty()) {
      GP_CHECK_OK(tcp_.Open(GP_TRY(EndpointOf(options.listen)), options.listen));
      port_ = tcp_.acceptor().local_endpoint().port();
      tcp_.Accept();
    }
    for (Lane& lane : lanes_) threads_.emplace_back([&lane] { lane.Run(); });
    return Ok();
  }

  int tcp_port() const override { return port_; }
  void Wake() override {
    for (Lane& lane : lanes_) lane.Wake();
  }

  void Shutdown() override {
    shared_.is_ending = true;
    for (Lane& lane : lanes_) lane.context().stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    shared_.long_work.join();  // no lane gives it more work
  }

 private:
  Shared shared_;
  std::deque<Lane> lanes_;
  Listener<Local> local_;
  Listener<Tcp> tcp_;
  int port_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const Options& options, Handler handler) {
  auto server = std::make_unique<BeastServer>(options, std::move(handler));
  GP_CHECK_OK(server->Listen(options));
  return server;
}

}  // namespace gp
