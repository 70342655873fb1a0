#include "lib/http/web_post.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "base/ignore_result.h"
#include "base/text.h"

namespace gp {
namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using Tcp = net::ip::tcp;
using Error = boost::system::error_code;  // not gp::Error

constexpr uint64_t kAnswerMax = 64 << 10;
constexpr size_t kUrlMax = 2'000;
constexpr std::chrono::seconds kConnectMax{3};  // to one of its addresses

// Looks names up in a thread that the caller can abandon: a name server that does not answer is
// retried for half a minute.
class Lookup {
 public:
  // `done_fd` is readable when the lookup has ended.
  static std::shared_ptr<Lookup> Begin(const std::string& host, const std::string& port) {
    auto lookup = std::make_shared<Lookup>();
    lookup->done_fd_ = eventfd(0, EFD_CLOEXEC);
    std::thread([lookup, host, port] {
      net::io_context context;
      Error error;
      const auto found = Tcp::resolver(context).resolve(host, port, error);
      const std::lock_guard lock(lookup->mutex_);
      lookup->found_.error = error;
      for (const auto& entry : found) lookup->found_.places.push_back(entry.endpoint());
      const uint64_t one = 1;
      IgnoreResult(write(lookup->done_fd_, &one, sizeof one),
                   "a descriptor that is full wakes its reader, too");
    }).detach();
    return lookup;
  }
  ~Lookup() {
    if (done_fd_ >= 0) close(done_fd_);
  }

  struct Found {
    Error error;
    std::vector<Tcp::endpoint> places;
  };

  int done_fd() const { return done_fd_; }
  // REQUIRES: the lookup has ended.
  Found found() {
    const std::lock_guard lock(mutex_);
    return found_;
  }

 private:
  int done_fd_ = -1;
  std::mutex mutex_;
  Found found_;
};

class Exchange {
 public:
  Exchange(const WebPost& post, int stop_fd)
      : post_(post), timer_(context_), stop_(context_), looked_up_(context_) {
    if (stop_fd >= 0) stop_.assign(fcntl(stop_fd, F_DUPFD_CLOEXEC, 0));
  }

  Result<HttpAnswer> Run() {
    Write();
    if (post_.to.is_encrypted) GP_CHECK_OK(Encrypt());
    timer_.expires_after(std::chrono::nanoseconds(post_.time_limit.ns));
    timer_.async_wait([this](Error error) {
      if (!error) End("no answer within " + ToText(post_.time_limit));
    });
    if (stop_.is_open())
      stop_.async_wait(net::posix::stream_descriptor::wait_read, [this](Error error) {
        if (!error) End("it was aborted");
      });
    lookup_ = Lookup::Begin(BareHost(), post_.to.port);
    looked_up_.assign(fcntl(lookup_->done_fd(), F_DUPFD_CLOEXEC, 0));
    looked_up_.async_wait(net::posix::stream_descriptor::wait_read, [this](Error) {
      found_ = lookup_->found();
      why_ = found_.error ? found_.error.message() : "";
      Connect(0);
    });
    context_.run();
    if (answer_) return *std::move(answer_);
    return Fail(Unavailable(post_.to.host + ": " + (why_.empty() ? "no answer" : why_)));
  }

 private:
  std::string BareHost() const {
    return post_.to.host.starts_with('[') ? post_.to.host.substr(1, post_.to.host.size() - 2)
                                          : post_.to.host;
  }

  void Write() {
    request_ = http::request<http::string_body>(http::verb::post, post_.to.target, 11);
    const bool is_usual = post_.to.port == (post_.to.is_encrypted ? "443" : "80");
    request_.set(http::field::host, is_usual ? post_.to.host : post_.to.host + ":" + post_.to.port);
    request_.set(http::field::user_agent, "gpu-platform");
    for (const auto& [name, value] : post_.headers) request_.set(name, value);
    request_.body() = post_.body;
    request_.prepare_payload();
  }

  // kUnavailable, not permanent: an operator may be replacing these files.
  Status Encrypt() {
    Error error;
    tls_.emplace(net::ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(tls_->native_handle(), TLS1_2_VERSION);
    if (post_.authorities.empty()) {
      tls_->set_default_verify_paths(error);
    } else {
      tls_->load_verify_file(post_.authorities, error);
    }
    if (error)
      return Fail(Unavailable(
          (post_.authorities.empty() ? "the host's certificate authorities" : post_.authorities) +
          ": " + error.message()));
    tls_->set_verify_mode(net::ssl::verify_peer);
    return Ok();
  }

  // Sets the name that the server's certificate must have.
  bool Expect(SSL* handle) const {
    const std::string host = BareHost();
    Error not_an_address;
    net::ip::make_address(host, not_an_address);
    if (!not_an_address)
      return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(handle), host.c_str()) == 1;
    return SSL_set_tlsext_host_name(handle, host.c_str()) == 1 &&
           SSL_set1_host(handle, host.c_str()) == 1;
  }

  // Tries one address after another: some addresses of a name may be unreachable.
  void Connect(size_t at) {
    if (at >= found_.places.size()) return End(why_.empty() ? "this name has no address" : why_);
    boost::beast::tcp_stream& socket = plain_.emplace(context_);
    socket.expires_after(kConnectMax);
    socket.async_connect(found_.places[at], [this, at](Error error) {
      if (error) {
        why_ = error == boost::beast::error::timeout ? "cannot be reached" : error.message();
        return Connect(at + 1);
      }
      why_.clear();
      plain_->expires_never();  // the whole request has its own limit
      if (!tls_) return Send(*plain_);
      encrypted_.emplace(std::move(*plain_), *tls_);
      if (!Expect(encrypted_->native_handle()))
        return End("no certificate can be checked against this name");
      encrypted_->async_handshake(net::ssl::stream_base::client, [this](Error refused) {
        if (refused) return End(refused.message());
        Send(*encrypted_);
      });
    });
  }
  template <typename Stream>
  void Send(Stream& stream) {
    http::async_write(stream, request_, [this, &stream](Error error, size_t) {
      if (error) return End(error.message());
      ReadHeader(stream);
    });
  }
  // Responses before the answer (1xx) are skipped.
  template <typename Stream>
  void ReadHeader(Stream& stream) {
    parser_.emplace();
    parser_->body_limit(kAnswerMax);
    http::async_read_header(stream, buffer_, *parser_, [this, &stream](Error error, size_t) {
      const bool is_too_long = error == http::error::body_limit && parser_->is_header_done();
      if (error && !is_too_long) return End(error.message());
      if (parser_->get().result_int() < 200) return ReadHeader(stream);
      answer_ = HttpAnswer{static_cast<int>(parser_->get().result_int()), ""};
      if (is_too_long) return End("");
      http::async_read(stream, buffer_, *parser_, [this](Error, size_t) { End(""); });
    });
  }
  // The head makes an answer valid, even if the body is truncated, endless or slow.
  void End(const std::string& why) {
    if (!why.empty()) why_ = why;
    if (answer_) answer_->body = parser_->get().body();
    context_.stop();
  }

  const WebPost& post_;
  net::io_context context_;
  net::steady_timer timer_;
  net::posix::stream_descriptor stop_;
  net::posix::stream_descriptor looked_up_;
  std::shared_ptr<Lookup> lookup_;
  Lookup::Found found_;
  std::optional<net::ssl::context> tls_;
  std::optional<boost::beast::tcp_stream> plain_;
  std::optional<boost::beast::ssl_stream<boost::beast::tcp_stream>> encrypted_;
  http::request<http::string_body> request_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::response_parser<http::string_body>> parser_;
  std::optional<HttpAnswer> answer_;
  std::string why_;
};

bool IsHost(const std::string& host) {
  if (!host.starts_with('[')) return IsHostName(host);
  Error error;
  net::ip::make_address_v6(host.substr(1, host.size() - 2), error);
  return host.ends_with(']') && !host.contains('%') && !error;
}

bool IsPort(const std::string& text) {
  const bool are_digits = !text.empty() && text.size() <= 5 &&
                          std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  return are_digits && std::stoi(text) >= 1 && std::stoi(text) <= 65'535;
}

}  // namespace

Result<WebAddress> ParseWebAddress(const std::string& url) {
  const auto fault = [](const std::string& what) {
    return Fail(InvalidArgument(what + ": an address such as https://hooks.example.org/gpu"));
  };
  WebAddress address;
  address.is_encrypted = url.starts_with("https://");
  if (!address.is_encrypted && !url.starts_with("http://"))
    return fault("begins with neither https:// nor http://");
  const bool is_plain = std::ranges::all_of(url, [](char c) { return c > ' ' && c < '\x7f'; });
  if (!is_plain || url.size() > kUrlMax)
    return fault("longer than 2000 characters, or with characters that addresses do not have");
  const std::string rest = url.substr(url.find("//") + 2);
  const size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  std::string authority = rest.substr(0, end);
  if (authority.contains('@')) return fault("has a user or a password in it");
  address.target = rest.substr(end, rest.find('#') - end);
  if (!address.target.starts_with('/')) address.target.insert(0, "/");
  const size_t colon = authority.rfind(':');
  const bool has_port =
      colon != std::string::npos && authority.find(']', colon) == std::string::npos;
  address.port = has_port ? authority.substr(colon + 1) : address.is_encrypted ? "443" : "80";
  address.host = has_port ? authority.substr(0, colon) : authority;
  if (!IsHost(address.host) || !IsPort(address.port))
    return fault("has no host, or no port from 1 to 65535");
  return address;
}

// The library throws when it cannot get a descriptor or a thread.
Result<HttpAnswer> Post(const WebPost& post, int stop_fd) try {
  return Exchange(post, stop_fd).Run();
} catch (const std::exception& error) {
  return Fail(Unavailable(post.to.host + ": " + error.what()));
}

}  // namespace gp
