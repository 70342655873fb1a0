#include "adapters/inbound/rest/http_server.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <deque>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

#include "adapters/inbound/api/peer.h"
#include "adapters/inbound/rest/problem.h"
#include "base/text.h"

namespace gp {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = net::ip::tcp;
using Local = net::local::stream_protocol;

constexpr auto kRequestTime = std::chrono::seconds(30);  // from the first wish to read to the last byte
constexpr auto kAnswerTime = std::chrono::seconds(30);
// Before anybody knows who calls: little from strangers, on few connections.
template <typename Protocol>
constexpr uint64_t kBodyMax = std::is_same_v<Protocol, Tcp> ? 2 << 20 : 16 << 20;
template <typename Protocol>
constexpr size_t kConnectionsMax = std::is_same_v<Protocol, Tcp> ? 1'024 : 4'096;
constexpr uint32_t kHeaderMax = 16 << 10;

// What all connections share.
struct Shared {
  HttpServer::Handler handler;
  net::thread_pool long_work;
  std::atomic<bool> is_ending = false;
};

std::optional<std::string> FieldOf(const http::request<http::string_body>& request, http::field name) {
  const auto found = request.find(name);
  if (found == request.end()) return std::nullopt;
  return std::string(found->value());
}

std::optional<std::string> FieldOf(const http::request<http::string_body>& request, const char* name) {
  const auto found = request.find(name);
  if (found == request.end()) return std::nullopt;
  return std::string(found->value());
}

// One connection: reads, answers, and again.
template <typename Protocol>
class Session : public std::enable_shared_from_this<Session<Protocol>> {
 public:
  // `open`: how many there are of its kind.
  Session(typename Protocol::socket socket, Shared& shared, std::atomic<size_t>& open) : stream_(std::move(socket)), shared_(shared), open_(open) {
    ++open_;
    if constexpr (std::is_same_v<Protocol, Tcp>) {
      boost::system::error_code error;
      const auto peer = stream_.socket().remote_endpoint(error);
      if (!error) from_ = peer.address().to_string() + ":" + std::to_string(peer.port());
      stream_.socket().set_option(Tcp::no_delay(true), error);
    } else {
      from_ = "unix";
      if (const auto peer = PeerOf(stream_.socket().native_handle())) peer_ = *peer;
    }
  }
  ~Session() { --open_; }
  auto executor() { return stream_.get_executor(); }

  void Read() {
    parser_.emplace();
    parser_->body_limit(kBodyMax<Protocol>);
    parser_->header_limit(kHeaderMax);
    stream_.expires_after(kRequestTime);
    http::async_read(stream_, buffer_, *parser_, [self = this->shared_from_this()](const boost::system::error_code& error, size_t) { self->OnRead(error); });
  }

 private:
  void OnRead(const boost::system::error_code& error) {
    if (error == http::error::body_limit) return Send(ProblemWithStatus(413, "a body has at most " + std::to_string(kBodyMax<Protocol> >> 20) + " MiB"), false);
    if (error == http::error::header_limit) return Send(ProblemWithStatus(431, "a header has at most 16 KiB"), false);
    const bool is_malformed = error.category() == make_error_code(http::error::bad_method).category() && error != http::error::end_of_stream && error != http::error::partial_message;
    if (error && is_malformed) return Send(ProblemWithStatus(400, "this is no HTTP/1.1: " + error.message()), false);
    if (error) return;  // gone, silent for too long, or ending: nobody reads an answer
    HttpRequest request = Told(parser_->get());
    if (!shared_.handler.takes_long(request)) return Send(Answer(request), MayGoOn());
    net::post(shared_.long_work, [self = this->shared_from_this(), request = std::move(request)] {
      HttpReply reply = self->Answer(request);
      net::post(self->stream_.get_executor(), [self, reply = std::move(reply)]() mutable { self->Send(std::move(reply), self->MayGoOn()); });
    });
  }
  // A mistake of ours in one answer ends no others.
  HttpReply Answer(const HttpRequest& request) const {
    try {
      return shared_.handler.answer(request);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "gpu-platform: an answer over HTTP failed: %s\n", error.what());
      return ProblemWithStatus(500, "the controller failed to answer");
    }
  }

  // Whoever asked by HEAD does not expect a body, and would take it for the next answer.
  bool MayGoOn() const { return parser_->get().keep_alive() && parser_->get().method() != http::verb::head && !shared_.is_ending; }

  HttpRequest Told(const http::request<http::string_body>& request) const {
    HttpRequest told;
    told.method = std::string(request.method_string());
    told.target = std::string(request.target());
    told.authorization = FieldOf(request, http::field::authorization);
    told.content_type = FieldOf(request, http::field::content_type);
    told.idempotency_key = FieldOf(request, "Idempotency-Key");
    told.host = FieldOf(request, http::field::host);
    told.origin = FieldOf(request, http::field::origin);
    told.body = request.body();
    told.from = from_;
    told.peer = peer_;
    return told;
  }

  void Send(HttpReply reply, bool keep_alive) {
    const unsigned version = parser_->is_header_done() ? parser_->get().version() : 11;
    reply_.emplace(static_cast<http::status>(reply.status), version);
    reply_->set(http::field::content_type, reply.content_type);
    reply_->set(http::field::cache_control, "no-store");
    reply_->set(http::field::server, "gpu-platform");
    reply_->set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : reply.headers) reply_->set(name, value);
    reply_->body() = std::move(reply.body);
    reply_->keep_alive(keep_alive);
    reply_->prepare_payload();
    stream_.expires_after(kAnswerTime);
    http::async_write(stream_, *reply_, [self = this->shared_from_this(), keep_alive](const boost::system::error_code& error, size_t) {
      if (!error && keep_alive) return self->Read();
      boost::system::error_code ignored;
      self->stream_.socket().shutdown(Protocol::socket::shutdown_send, ignored);
    });
  }

  beast::basic_stream<Protocol> stream_;
  Shared& shared_;
  std::atomic<size_t>& open_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> reply_;
  std::string from_;
  std::optional<User> peer_;
};

// Takes connections, and gives them to one context after the other.
template <typename Protocol>
class Listener {
 public:
  Listener(std::deque<net::io_context>& contexts, Shared& shared) : contexts_(contexts), shared_(shared), acceptor_(contexts.front()) {}

  Status Open(const typename Protocol::endpoint& endpoint, const std::string& name) {
    boost::system::error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error && std::is_same_v<Protocol, Tcp>) acceptor_.set_option(net::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(1'024, error);
    if (error) return Fail(Unavailable("cannot listen on " + name + ": " + error.message()));
    return Ok();
  }
  typename Protocol::acceptor& acceptor() { return acceptor_; }

  void Accept() {
    acceptor_.async_accept(contexts_[next_++ % contexts_.size()], [this](const boost::system::error_code& error, typename Protocol::socket socket) {
      if (shared_.is_ending || error == net::error::operation_aborted) return;
      // Too many: whoever comes is told by a closed door, and others are served.
      if (!error && open_ < kConnectionsMax<Protocol>) Begin(std::move(socket));
      if (error) usleep(10'000);  // out of descriptors, say: let others finish
      Accept();
    });
  }

 private:
  // On its own context's thread.
  void Begin(typename Protocol::socket socket) {
    auto session = std::make_shared<Session<Protocol>>(std::move(socket), shared_, open_);
    net::post(session->executor(), [session] { session->Read(); });
  }

  std::deque<net::io_context>& contexts_;
  Shared& shared_;
  size_t next_ = 0;
  std::atomic<size_t> open_ = 0;
  typename Protocol::acceptor acceptor_;
};

Result<Tcp::endpoint> EndpointOf(const std::string& listen) {
  const size_t colon = listen.rfind(':');
  const auto port = colon == std::string::npos ? Result<int64_t>(Fail(InvalidArgument(""))) : ParseCount(listen.substr(colon + 1));
  if (!port || *port > 65'535) return Fail(InvalidArgument("\"" + Printable(listen, 60) + "\" is no address such as 127.0.0.1:8080"));
  std::string host = listen.substr(0, colon);
  if (host.starts_with("[") && host.ends_with("]")) host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  const auto address = net::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
  if (error) return Fail(InvalidArgument("\"" + Printable(listen, 60) + "\": the address must be numbers, as 127.0.0.1:8080 or [::1]:8080"));
  return Tcp::endpoint(address, static_cast<unsigned short>(*port));
}

class BeastServer : public HttpServer {
 public:
  BeastServer(const Options& options, Handler handler)
      : shared_{std::move(handler), net::thread_pool(static_cast<size_t>(options.threads_for_long))},
        contexts_(Contexts(options.threads)),
        local_(contexts_, shared_),
        tcp_(contexts_, shared_) {}
  ~BeastServer() override { Shutdown(); }

  Status Listen(const Options& options) {
    if (!options.socket.empty()) {
      if (options.socket.size() >= sizeof(sockaddr_un::sun_path)) return Fail(InvalidArgument(options.socket + ": too long for a socket"));
      unlink(options.socket.c_str());
      GP_CHECK_OK(local_.Open(Local::endpoint(options.socket), options.socket));
      chmod(options.socket.c_str(), 0666);  // whoever connects is known by the kernel
      local_.Accept();
    }
    if (!options.listen.empty()) {
      GP_CHECK_OK(tcp_.Open(GP_TRY(EndpointOf(options.listen)), options.listen));
      port_ = tcp_.acceptor().local_endpoint().port();
      tcp_.Accept();
    }
    for (net::io_context& context : contexts_) {
      threads_.emplace_back([&context] {
        const auto work = net::make_work_guard(context);
        context.run();
      });
    }
    return Ok();
  }

  int tcp_port() const override { return port_; }

  void Shutdown() override {
    shared_.is_ending = true;
    for (net::io_context& context : contexts_) context.stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    shared_.long_work.join();  // nobody gives it more
  }

 private:
  // With one thread each, which therefore wakes no other.
  static std::deque<net::io_context> Contexts(int count) {
    std::deque<net::io_context> contexts;
    for (int i = 0; i < count; ++i) contexts.emplace_back(1);
    return contexts;
  }

  Shared shared_;
  std::deque<net::io_context> contexts_;
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
