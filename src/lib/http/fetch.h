#pragma once

// The HTTP client: one request, over HTTP/1.1 or HTTPS (TLS 1.2 or newer).  Nothing is sent to a
// server whose certificate has another name or comes from no known authority, and nothing is sent
// through a proxy: no environment variable is read for one.

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "lib/http/http_message.h"

namespace gp {

struct HttpLimits {
  Duration total = Duration::Seconds(30);      // of everything, redirects too; 0: none
  Duration connect = Duration::Seconds(3);     // to one of the addresses of a host; 0: none
  Duration handshake = Duration::Seconds(10);  // of TLS; 0: none
  // How long the other side may neither send nor take a byte while it is its turn; 0: none.
  Duration idle = Duration::Seconds(30);
  uint64_t body_bytes_max = 1 << 20;     // of a collected body
  uint32_t header_bytes_max = 16 << 10;  // of the status line and the headers of a response
  int headers_max = 100;                 // of a response
};

struct TlsOptions {
  std::string authorities;  // PEM file of CA certificates; empty: the host's own
  // For servers that require one: PEM text, the certificates of its issuers after it.  Sent only to
  // the origin (scheme, host, port) of the request, not to those that it is redirected to.
  std::string certificate;
  std::string key;  // PEM text, not encrypted
};

struct FetchOptions {
  HttpLimits limits;
  TlsOptions tls;
  // How many redirects are followed; one that may not be followed is an error then
  // (lib/http/redirect.h).  0: a redirect is a response like others.
  int redirects_max = 0;
  int stop_fd = -1;  // readable when the response is no longer needed; -1: none
  // Asked for each address of a host before it is connected to, of redirects too: what a name
  // resolves to may change between two lookups, so a check of the name would prove nothing.  An
  // error ends the request and becomes its error.  `ip`: "10.0.0.1", "::1", "fe80::1%eth0".
  // (lib/http/address_rules.h)
  std::function<Status(const std::string& ip)> may_connect;
  // Receives status and headers before the body arrives, not those of redirects that are followed.
  // An error ends the request and becomes its error.
  std::function<Status(const WebResponse&)> on_head;
  // Receives the body of a response with a status from 200 to 299 piece by piece, as it arrives;
  // such a body has no limit of size.  An error ends the request and becomes its error.  Without a
  // sink, and with other statuses, the body is collected in the response.
  std::function<Status(std::string_view)> sink;
};

// Why there is no complete response.  Its message names the host and says whether the request may
// have been received; it has no header or body of the request in it.
struct FetchError : Error {
  bool may_be_received = false;  // false: no byte of the request was sent
  std::string reason;            // the message without the host, for callers that name it
  // What had arrived, with the collected beginning of the body; nullopt: not even the headers.
  std::optional<WebResponse> response;
};

using FetchResult = std::expected<WebResponse, FetchError>;

// Runs on the caller's thread; any thread.  A response of any status is a result.  The body of one
// with a status from 200 to 299 is complete; that of others is for people, and cut at the limit.
// kInvalidArgument: the request, or the client certificate, is none.
// kUnavailable: no such server, its certificate is wrong, the connection broke, the response was no
// HTTP or incomplete, or the caller stopped it.
// kDeadlineExceeded: a time limit.
// kResourceExhausted: the body or the headers are larger than the limit.
// kPermissionDenied: a redirect that is not followed, or the error of may_connect.
FetchResult Fetch(const WebRequest& request, const FetchOptions& options);

}  // namespace gp
