#include "adapters/inbound/rest/http_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
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
namespace ssl = net::ssl;
using Local = net::local::stream_protocol;
using LocalStream = beast::basic_stream<Local>;
using PlainStream = beast::basic_stream<Tcp>;
using HiddenStream = beast::ssl_stream<PlainStream>;

constexpr auto kHandshakeTime = std::chrono::seconds(10);
constexpr auto kRequestTime = std::chrono::seconds(30);  // from the first wish to read to the last byte
constexpr auto kAnswerTime = std::chrono::seconds(30);
// Before anybody knows who calls: little from strangers, on few connections.
template <typename Stream>
constexpr uint64_t kBodyMax = std::is_same_v<Stream, LocalStream> ? 16 << 20 : 2 << 20;
constexpr size_t kConnectionsMax = 4'096;  // of each kind
constexpr uint32_t kHeaderMax = 16 << 10;

// What all connections share.
struct Shared {
  HttpServer::Handler handler;
  net::thread_pool long_work;
  std::optional<ssl::context> tls;  // nullopt: nothing is encrypted
  std::atomic<bool> is_ending = false;
  // Connections; they may outlive who took them.
  std::atomic<size_t> open_local = 0;
  std::atomic<size_t> open_tcp = 0;
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

// An answer that goes on.
class Streaming {
 public:
  virtual ~Streaming() = default;
  // Sends what there is; where there is nothing, a heartbeat if it is asked for one.
  virtual void Push(bool is_beat) = 0;
};

// One thread with its connections.  Those whose answers go on are looked at together, and not more often than a person
// can tell: a thousand of them cost a busy controller little.
class Lane {
 public:
  net::io_context& context() { return context_; }
  void Add(std::weak_ptr<Streaming> stream) { streams_.push_back(std::move(stream)); }
  void Run() {
    Beat();
    const auto work = net::make_work_guard(context_);
    context_.run();
  }

  // Any thread.
  void Wake() {
    if (!is_told_.exchange(true)) net::post(context_, [this] { Look(); });
  }

 private:
  static constexpr auto kPause = std::chrono::milliseconds(50);
  static constexpr auto kBeat = std::chrono::seconds(10);

  // What comes meanwhile is seen when the pause is over.
  void Look() {
    if (is_resting_) return;
    is_told_ = false;
    PushAll(false);
    is_resting_ = true;
    pause_.expires_after(kPause);
    pause_.async_wait([this](const boost::system::error_code& error) {
      is_resting_ = false;
      if (!error && is_told_) Look();
    });
  }
  void Beat() {
    beat_.expires_after(kBeat);
    beat_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      PushAll(true);
      Beat();
    });
  }
  void PushAll(bool is_beat) {
    std::erase_if(streams_, [is_beat](const std::weak_ptr<Streaming>& weak) {
      const auto stream = weak.lock();
      if (stream != nullptr) stream->Push(is_beat);
      return stream == nullptr;
    });
  }

  net::io_context context_{1};  // its one thread wakes no other
  net::steady_timer pause_{context_};
  net::steady_timer beat_{context_};
  bool is_resting_ = false;
  std::atomic<bool> is_told_ = false;
  std::vector<std::weak_ptr<Streaming>> streams_;
};

// A peer whose machine has vanished says nothing: within two minutes it counts as gone.
void NoticeLoss(int socket) {
  const int on = 1;
  const int idle_s = 60;
  const int every_s = 15;
  const int times = 4;
  (void)setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof every_s);
  (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
}

// One connection: reads, answers, and again.
template <typename Stream>
class Session : public Streaming, public std::enable_shared_from_this<Session<Stream>> {
 public:
  // `open`: how many there are of its kind.
  template <typename Socket>
  Session(Socket socket, Shared& shared, Lane& lane, std::atomic<size_t>& open) : stream_(MakeStream(std::move(socket), shared)), shared_(shared), lane_(lane), open_(open) {
    ++open_;
    if constexpr (std::is_same_v<Stream, LocalStream>) {
      from_ = "unix";
      if (const auto peer = PeerOf(lowest().socket().native_handle())) peer_ = *peer;
    } else {
      boost::system::error_code error;
      const auto peer = lowest().socket().remote_endpoint(error);
      if (!error) from_ = peer.address().to_string() + ":" + std::to_string(peer.port());
      lowest().socket().set_option(Tcp::no_delay(true), error);
      NoticeLoss(lowest().socket().native_handle());
    }
  }
  ~Session() override { --open_; }
  auto executor() { return stream_.get_executor(); }

  void Begin() {
    if constexpr (std::is_same_v<Stream, HiddenStream>) {
      lowest().expires_after(kHandshakeTime);
      stream_.async_handshake(ssl::stream_base::server, [self = this->shared_from_this()](const boost::system::error_code& error) {
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
    parser_.emplace();
    parser_->body_limit(kBodyMax<Stream>);
    parser_->header_limit(kHeaderMax);
    lowest().expires_after(kRequestTime);
    http::async_read(stream_, buffer_, *parser_, [self = this->shared_from_this()](const boost::system::error_code& error, size_t) { self->OnRead(error); });
  }

  void OnRead(const boost::system::error_code& error) {
    if (error == http::error::body_limit) return Send(ProblemWithStatus(413, "a body has at most " + std::to_string(kBodyMax<Stream> >> 20) + " MiB"), false);
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
    told.last_event_id = FieldOf(request, "Last-Event-ID");
    told.accept = FieldOf(request, http::field::accept);
    told.if_none_match = FieldOf(request, http::field::if_none_match);
    told.body = request.body();
    told.from = from_;
    told.peer = peer_;
    return told;
  }

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
    const unsigned version = parser_->is_header_done() ? parser_->get().version() : 11;
    reply_.emplace(static_cast<http::status>(reply.status), version);
    SetFields(*reply_, reply);
    reply_->body() = std::move(reply.body);
    reply_->keep_alive(keep_alive);
    reply_->prepare_payload();
    if (reply.status == 304) reply_->erase(http::field::content_length);  // that would be the length of what is not sent
    lowest().expires_after(kAnswerTime);
    http::async_write(stream_, *reply_, [self = this->shared_from_this(), keep_alive](const boost::system::error_code& error, size_t) {
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
    begun_.async_wait([self = this->shared_from_this()](const boost::system::error_code&) {});  // lives until its answer is known
    Push(false);
  }

  void SendHead() {
    serializer_.emplace(*head_);
    is_sending_ = true;
    lowest().expires_after(kAnswerTime);
    http::async_write_header(stream_, *serializer_, [self = this->shared_from_this()](const boost::system::error_code& error, size_t) {
      self->is_sending_ = false;
      if (error) self->source_ = nullptr;
      if (!error) self->AwaitGone();
      self->Push(false);
    });
  }

  // Whoever listens to a stream says nothing more: what can be read is the end.
  void AwaitGone() {
    lowest().expires_never();
    stream_.async_read_some(net::buffer(&nothing_, 1), [self = this->shared_from_this()](const boost::system::error_code&, size_t) {
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
      // The answer is known: that it goes on, or that there is none.
      const auto failure = source_->Failure();
      return failure ? Refuse(*failure) : SendHead();
    }
    auto piece = source_->Take();
    if (!piece) return EndStream();
    if (piece->empty()) piece = std::move(beat);
    if (piece->empty()) return;
    is_sending_ = true;
    // A reader that is too slow is cut off; it comes back behind what it has.
    lowest().expires_after(kAnswerTime);
    piece_ = *std::move(piece);
    net::async_write(stream_, http::make_chunk(net::buffer(piece_)), [self = this->shared_from_this()](const boost::system::error_code& error, size_t) {
      self->is_sending_ = false;
      if (error) self->source_ = nullptr;
      self->Push(false);
    });
  }

  void Refuse(const Error& why) {
    source_ = nullptr;
    Send(ProblemOf(why), false);
  }

  // Its last chunk says that this was all.
  void EndStream() {
    const bool is_whole = !source_->Failure();
    source_ = nullptr;
    if (!is_whole) return beast::get_lowest_layer(stream_).close();
    is_sending_ = true;
    lowest().expires_after(kAnswerTime);
    net::async_write(stream_, http::make_chunk_last(), [self = this->shared_from_this()](const boost::system::error_code&, size_t) { beast::get_lowest_layer(self->stream_).cancel(); });
  }

  void End() {
    if constexpr (std::is_same_v<Stream, HiddenStream>) {
      lowest().expires_after(kAnswerTime);
      stream_.async_shutdown([self = this->shared_from_this()](const boost::system::error_code&) {});
    } else {
      boost::system::error_code ignored;
      lowest().socket().shutdown(net::socket_base::shutdown_send, ignored);
    }
  }

  Stream stream_;
  Shared& shared_;
  Lane& lane_;
  std::atomic<size_t>& open_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> reply_;
  std::string from_;
  std::optional<User> peer_;
  // Of an answer that goes on:
  std::shared_ptr<HttpStream> source_;  // nullptr: there is none, or nobody listens any more
  std::optional<http::response<http::empty_body>> head_;
  std::optional<http::response_serializer<http::empty_body>> serializer_;
  net::steady_timer begun_{stream_.get_executor()};
  std::string piece_;
  bool is_sending_ = false;
  char nothing_ = 0;
};

// Takes connections, and gives them to one lane after the other.
template <typename Protocol>
class Listener {
 public:
  Listener(std::deque<Lane>& lanes, Shared& shared) : lanes_(lanes), shared_(shared), acceptor_(lanes.front().context()) {}

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
    Lane& lane = lanes_[next_++ % lanes_.size()];
    acceptor_.async_accept(lane.context(), [this, &lane](const boost::system::error_code& error, typename Protocol::socket socket) {
      if (shared_.is_ending || error == net::error::operation_aborted) return;
      // Too many: whoever comes is told by a closed door, and others are served.
      if (!error && open_ < kConnectionsMax) Begin(std::move(socket), lane);
      if (error) usleep(10'000);  // out of descriptors, say: let others finish
      Accept();
    });
  }

 private:
  void Begin(typename Protocol::socket socket, Lane& lane) {
    if constexpr (std::is_same_v<Protocol, Local>) {
      Serve<LocalStream>(std::move(socket), lane);
    } else if (shared_.tls) {
      Serve<HiddenStream>(std::move(socket), lane);
    } else {
      Serve<PlainStream>(std::move(socket), lane);
    }
  }
  // On its own lane's thread.
  template <typename Stream>
  void Serve(typename Protocol::socket socket, Lane& lane) {
    auto session = std::make_shared<Session<Stream>>(std::move(socket), shared_, lane, open_);
    net::post(session->executor(), [session] { session->Begin(); });
  }

  std::deque<Lane>& lanes_;
  Shared& shared_;
  size_t next_ = 0;
  std::atomic<size_t>& open_ = std::is_same_v<Protocol, Local> ? shared_.open_local : shared_.open_tcp;
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

Result<ssl::context> TlsOf(const Identity& identity) {
  ssl::context context(ssl::context::tls_server);
  boost::system::error_code error;
  context.set_options(ssl::context::default_workarounds | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1, error);
  if (!error) context.use_certificate_chain(net::buffer(identity.certificate), error);
  if (!error) context.use_private_key(net::buffer(identity.key), ssl::context::pem, error);
  if (error) return Fail(InvalidArgument("the controller's certificate: " + error.message()));
  return context;
}

class BeastServer : public HttpServer {
 public:
  BeastServer(const Options& options, Handler handler)
      : shared_{std::move(handler), net::thread_pool(static_cast<size_t>(options.threads_for_long)), std::nullopt},
        lanes_(static_cast<size_t>(options.threads)),
        local_(lanes_, shared_),
        tcp_(lanes_, shared_) {}
  ~BeastServer() override { Shutdown(); }

  Status Listen(const Options& options) {
    if (options.identity) shared_.tls = GP_TRY(TlsOf(*options.identity));
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
    shared_.long_work.join();  // nobody gives it more
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
