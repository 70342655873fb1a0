#include "adapters/outbound/http/web_post.h"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>

namespace gp {
namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using Tcp = net::ip::tcp;
using Error = boost::system::error_code;

constexpr uint64_t kAnswerMax = 64 << 10;
constexpr size_t kUrlMax = 2'000;

class Exchange {
 public:
  Exchange(const WebPost& post, int stop_fd) : post_(post), resolver_(context_), timer_(context_), stop_(context_) {
    if (stop_fd >= 0) stop_.assign(dup(stop_fd));
  }

  Result<HttpAnswer> Run() {
    request_ = http::request<http::string_body>(http::verb::post, post_.to.target, 11);
    const bool is_usual = post_.to.port == (post_.to.is_encrypted ? "443" : "80");
    request_.set(http::field::host, is_usual ? post_.to.host : post_.to.host + ":" + post_.to.port);
    request_.set(http::field::user_agent, "gpu-platform");
    for (const auto& [name, value] : post_.headers) request_.set(name, value);
    request_.body() = post_.body;
    request_.prepare_payload();
    parser_.body_limit(kAnswerMax);
    if (post_.to.is_encrypted) {
      const Status ready = Encrypt();
      if (!ready) return Fail(ready.error());
    }
    timer_.expires_after(std::chrono::nanoseconds(post_.time_limit.ns));
    timer_.async_wait([this](Error error) { if (!error) End("no answer within " + ToText(post_.time_limit)); });
    if (stop_.is_open()) stop_.async_wait(net::posix::stream_descriptor::wait_read, [this](Error error) { if (!error) End("it was given up"); });
    resolver_.async_resolve(UnbracketedHost(), post_.to.port, [this](Error error, const Tcp::resolver::results_type& found) { Resolved(error, found); });
    context_.run();
    if (answer_) return *std::move(answer_);
    return Fail(Unavailable(post_.to.host + ": " + (why_.empty() ? "no answer" : why_)));
  }

 private:
  std::string UnbracketedHost() const { return post_.to.host.starts_with('[') ? post_.to.host.substr(1, post_.to.host.size() - 2) : post_.to.host; }

  Status Encrypt() {
    Error error;
    tls_.emplace(net::ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(tls_->native_handle(), TLS1_2_VERSION);
    if (post_.authorities.empty()) {
      tls_->set_default_verify_paths(error);
    } else {
      tls_->load_verify_file(post_.authorities, error);
    }
    if (error) return Fail(InvalidArgument((post_.authorities.empty() ? "the host's certificate authorities" : post_.authorities) + ": " + error.message()));
    tls_->set_verify_mode(net::ssl::verify_peer);
    encrypted_.emplace(context_, *tls_);
    const std::string host = UnbracketedHost();
    SSL* const handle = encrypted_->native_handle();
    Error not_an_address;
    net::ip::make_address(host, not_an_address);
    if (not_an_address) {
      SSL_set_tlsext_host_name(handle, host.c_str());
      SSL_set1_host(handle, host.c_str());
    } else {
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(handle), host.c_str());
    }
    return Ok();
  }

  boost::beast::tcp_stream& Socket() { return encrypted_ ? encrypted_->next_layer() : plain_; }

  void Resolved(Error error, const Tcp::resolver::results_type& found) {
    if (error) return End(error.message());
    Socket().async_connect(found, [this](Error failure, const Tcp::endpoint&) {
      if (failure) return End(failure.message());
      if (!encrypted_) return Send(plain_);
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
      http::async_read(stream, buffer_, parser_, [this](Error failure, size_t) { Receive(failure); });
    });
  }
  // A body that is longer than anybody wants to know of changes nothing of the answer.
  void Receive(Error error) {
    if (error && !(error == http::error::body_limit && parser_.is_header_done())) return End(error.message());
    answer_ = HttpAnswer{static_cast<int>(parser_.get().result_int()), std::move(parser_.get().body())};
    End("");
  }
  void End(const std::string& why) {
    if (why_.empty()) why_ = why;
    context_.stop();
  }

  const WebPost& post_;
  net::io_context context_;
  Tcp::resolver resolver_;
  net::steady_timer timer_;
  net::posix::stream_descriptor stop_;
  std::optional<net::ssl::context> tls_;
  boost::beast::tcp_stream plain_{context_};
  std::optional<boost::beast::ssl_stream<boost::beast::tcp_stream>> encrypted_;
  http::request<http::string_body> request_;
  boost::beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
  std::optional<HttpAnswer> answer_;
  std::string why_;
};

bool IsPort(const std::string& text) {
  const bool are_digits = !text.empty() && text.size() <= 5 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  return are_digits && std::stoi(text) >= 1 && std::stoi(text) <= 65'535;
}

}  // namespace

Result<WebAddress> ParseWebAddress(const std::string& url) {
  const auto fault = [](const std::string& what) { return Fail(InvalidArgument(what + ": an address such as https://hooks.example.org/gpu")); };
  WebAddress address;
  address.is_encrypted = url.starts_with("https://");
  if (!address.is_encrypted && !url.starts_with("http://")) return fault("begins with neither https:// nor http://");
  const bool is_plain = std::ranges::all_of(url, [](char c) { return c > ' ' && c < '\x7f'; });
  if (!is_plain || url.size() > kUrlMax) return fault("longer than 2000 letters, or has some that addresses do not have");
  const std::string rest = url.substr(url.find("//") + 2);
  const size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  std::string authority = rest.substr(0, end);
  if (authority.contains('@')) return fault("has a user or a password in it");
  address.target = rest.substr(end, rest.find('#') - end);
  if (!address.target.starts_with('/')) address.target.insert(0, "/");
  const size_t colon = authority.rfind(':');
  const bool has_port = colon != std::string::npos && authority.find(']', colon) == std::string::npos;
  address.port = has_port ? authority.substr(colon + 1) : address.is_encrypted ? "443" : "80";
  address.host = has_port ? authority.substr(0, colon) : authority;
  if (address.host.empty() || !IsPort(address.port)) return fault("has no host, or no port from 1 to 65535");
  return address;
}

Result<HttpAnswer> Post(const WebPost& post, int stop_fd) { return Exchange(post, stop_fd).Run(); }

}  // namespace gp
