#include "lib/http/connection.h"

#include <fcntl.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/ssl.hpp>
#include <optional>

#include "lib/http/name_lookup.h"

namespace gp {
namespace {

namespace net = boost::asio;
using boost::system::error_code;

// Runs operations of a socket, one at a time, until they end, or a limit or the caller ends them.
class SocketSteps {
 public:
  struct End {
    error_code error;  // net::error::timed_out: the limit of this step
    size_t bytes = 0;
  };

  explicit SocketSteps(const Deadline& deadline)
      : deadline_(deadline), socket_(context_), stop_(context_) {
    if (deadline.stop_fd() < 0) return;
    stop_.assign(fcntl(deadline.stop_fd(), F_DUPFD_CLOEXEC, 0));
    stop_.async_wait(net::posix::stream_descriptor::wait_read,
                     [this](error_code error) { is_stopped_ = !error; });
  }

  net::ip::tcp::socket& socket() { return socket_; }

  // `begin` starts an operation of the socket and passes it the handler that it receives.  Fails
  // with the errors of the deadline.
  template <typename Begin>
  Result<End> Run(Duration limit, Begin begin) {
    GP_CHECK_OK(deadline_.Check());
    std::optional<End> end;
    begin([&end](error_code error, size_t bytes = 0) { end = End{error, bytes}; });
    const auto until = std::min(Deadline::After(limit), deadline_.end());
    context_.restart();
    while (!end && !is_stopped_ && context_.run_one_until(until) > 0) continue;
    if (end) return *end;
    error_code ignored;
    socket_.close(ignored);  // ends the operation
    while (!end) context_.run_one();
    GP_CHECK_OK(deadline_.Check());
    return End{net::error::timed_out, 0};
  }

 private:
  const Deadline& deadline_;
  net::io_context context_;
  net::ip::tcp::socket socket_;
  net::posix::stream_descriptor stop_;
  bool is_stopped_ = false;
};

Error BrokenBy(const error_code& error, Duration idle_max) {
  if (error == net::error::timed_out)
    return {ErrorCode::kDeadlineExceeded, "silent for " + ToText(idle_max)};
  return Unavailable(error.message());
}

template <typename Stream>
Status SendAll(SocketSteps& steps, Stream& stream, Duration idle_max, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = GP_TRY(steps.Run(idle_max, [&](auto done) {
      stream.async_write_some(net::buffer(bytes.data(), bytes.size()), done);
    }));
    if (end.error) return Fail(BrokenBy(end.error, idle_max));
    bytes.remove_prefix(end.bytes);
  }
  return Ok();
}

// An encrypted stream that ends without TLS's own end may have been cut by others: that is an
// error, not an end.
template <typename Stream>
Result<size_t> ReceiveSome(SocketSteps& steps, Stream& stream, Duration idle_max,
                           std::span<char> into) {
  const auto end = GP_TRY(steps.Run(idle_max, [&](auto done) {
    stream.async_read_some(net::buffer(into.data(), into.size()), done);
  }));
  if (end.error == net::error::eof) return 0;
  if (end.error) return Fail(BrokenBy(end.error, idle_max));
  return end.bytes;
}

class PlainConnection final : public Connection {
 public:
  PlainConnection(std::unique_ptr<SocketSteps> steps, Duration idle_max)
      : steps_(std::move(steps)), idle_max_(idle_max) {}

  Status Send(std::string_view bytes) override {
    return SendAll(*steps_, steps_->socket(), idle_max_, bytes);
  }
  Result<size_t> Receive(std::span<char> into) override {
    return ReceiveSome(*steps_, steps_->socket(), idle_max_, into);
  }

 private:
  const std::unique_ptr<SocketSteps> steps_;
  const Duration idle_max_;
};

class TlsConnection final : public Connection {
 public:
  TlsConnection(std::unique_ptr<SocketSteps> steps, std::unique_ptr<net::ssl::context> tls,
                Duration idle_max)
      : steps_(std::move(steps)),
        tls_(std::move(tls)),
        stream_(steps_->socket(), *tls_),
        idle_max_(idle_max) {}

  // kUnavailable: the server cannot prove that it is `host`.
  Status Handshake(const std::string& host, Duration limit) {
    if (!Expect(host)) return Fail(Unavailable("no certificate can be checked against this name"));
    const auto end = GP_TRY(steps_->Run(
        limit, [&](auto done) { stream_.async_handshake(net::ssl::stream_base::client, done); }));
    if (end.error == net::error::timed_out)
      return Fail(Unavailable("no TLS handshake within " + ToText(limit)));
    return end.error ? Fail(Unavailable(end.error.message())) : Ok();
  }

  Status Send(std::string_view bytes) override {
    return SendAll(*steps_, stream_, idle_max_, bytes);
  }
  Result<size_t> Receive(std::span<char> into) override {
    return ReceiveSome(*steps_, stream_, idle_max_, into);
  }

 private:
  // Sets the name that the server's certificate must have.
  bool Expect(const std::string& host) {
    SSL* handle = stream_.native_handle();
    error_code not_an_address;
    net::ip::make_address(host, not_an_address);
    if (!not_an_address)
      return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(handle), host.c_str()) == 1;
    return SSL_set_tlsext_host_name(handle, host.c_str()) == 1 &&
           SSL_set1_host(handle, host.c_str()) == 1;
  }

  const std::unique_ptr<SocketSteps> steps_;
  const std::unique_ptr<net::ssl::context> tls_;
  net::ssl::stream<net::ip::tcp::socket&> stream_;
  const Duration idle_max_;
};

Status LoadClientCertificate(net::ssl::context& context, const TlsOptions& tls) {
  error_code error;
  // Without this, OpenSSL would ask the terminal for the password of an encrypted key.
  context.set_password_callback(
      [](size_t, net::ssl::context::password_purpose) { return std::string(); }, error);
  if (!error) context.use_certificate_chain(net::buffer(tls.certificate), error);
  if (!error) context.use_private_key(net::buffer(tls.key), net::ssl::context::pem, error);
  if (!error) return Ok();
  return Fail(InvalidArgument("the client certificate or its key: " + error.message()));
}

// kUnavailable for authorities that cannot be read: an operator may be replacing this file.
Result<std::unique_ptr<net::ssl::context>> TlsContext(const TlsOptions& tls) {
  auto context = std::make_unique<net::ssl::context>(net::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  error_code error;
  if (tls.authorities.empty()) {
    context->set_default_verify_paths(error);
  } else {
    context->load_verify_file(tls.authorities, error);
  }
  if (error)
    return Fail(Unavailable(
        (tls.authorities.empty() ? "the host's certificate authorities" : tls.authorities) + ": " +
        error.message()));
  context->set_verify_mode(net::ssl::verify_peer);
  if (!tls.certificate.empty() || !tls.key.empty())
    GP_CHECK_OK(LoadClientCertificate(*context, tls));
  return context;
}

// Tries one address after another: some addresses of a name may be unreachable.
Status ConnectSocket(SocketSteps& steps, const std::vector<NetworkAddress>& addresses,
                     const FetchOptions& options) {
  std::string why;
  for (const NetworkAddress& address : addresses) {
    if (options.may_connect) GP_CHECK_OK(options.may_connect(address.ip));
    const net::ip::tcp::endpoint place(net::ip::make_address(address.ip), address.port);
    error_code ignored;
    steps.socket().close(ignored);  // of the address before
    const auto end = GP_TRY(steps.Run(
        options.limits.connect, [&](auto done) { steps.socket().async_connect(place, done); }));
    if (!end.error) return Ok();
    why = end.error == net::error::timed_out ? "cannot be reached" : end.error.message();
  }
  return Fail(Unavailable(why));
}

}  // namespace

Result<std::unique_ptr<Connection>> Connect(const WebAddress& to, const TlsOptions& tls,
                                            const FetchOptions& options, const Deadline& deadline) {
  const HttpLimits& limits = options.limits;
  std::unique_ptr<net::ssl::context> context;
  if (to.is_encrypted) context = GP_TRY(TlsContext(tls));
  const auto addresses = GP_TRY(LookUpName(BareHost(to), to.port, deadline));
  auto steps = std::make_unique<SocketSteps>(deadline);
  GP_CHECK_OK(ConnectSocket(*steps, addresses, options));
  if (!to.is_encrypted) return std::make_unique<PlainConnection>(std::move(steps), limits.idle);
  auto connection =
      std::make_unique<TlsConnection>(std::move(steps), std::move(context), limits.idle);
  GP_CHECK_OK(connection->Handshake(BareHost(to), limits.handshake));
  return connection;
}

}  // namespace gp
