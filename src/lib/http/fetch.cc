#include "lib/http/fetch.h"

#include <exception>

#include "lib/http/connection.h"
#include "lib/http/deadline.h"
#include "lib/http/exchange.h"
#include "lib/http/redirect.h"

namespace gp {
namespace {

// REQUIRES: the end's status is an error.
std::unexpected<FetchError> NotFetched(const WebRequest& request, ExchangeEnd end) {
  const Error& why = end.status.error();
  const std::string received = end.response
                                   ? "; it had answered " + std::to_string(end.response->status)
                               : end.may_be_received ? "; the request may have been received"
                                                     : "; the request was not sent";
  FetchError error;
  error.code = why.code;
  error.message = request.to.host + ": " + why.message + received;
  error.may_be_received = end.may_be_received;
  error.reason = why.message;
  error.response = std::move(end.response);
  return std::unexpected(std::move(error));
}

std::unexpected<FetchError> NotSent(const WebRequest& request, Error why) {
  return NotFetched(request, {Fail(std::move(why)), false, std::nullopt});
}

// Asio throws when it cannot get a descriptor or a thread.
Result<std::unique_ptr<Connection>> TryToConnect(const WebRequest& request, const TlsOptions& tls,
                                                 const FetchOptions& options,
                                                 const Deadline& deadline) try {
  return Connect(request.to, tls, options, deadline);
} catch (const std::exception& error) {
  return Fail(Unavailable(error.what()));
}

FetchResult FetchOne(const WebRequest& request, const TlsOptions& tls, const FetchOptions& options,
                     const Deadline& deadline) {
  if (Status checked = CheckRequest(request); !checked)
    return NotSent(request, std::move(checked).error());
  auto connection = TryToConnect(request, tls, options, deadline);
  if (!connection) return NotSent(request, std::move(connection).error());
  ExchangeEnd end = Exchange(**connection, request, options);
  if (end.status) return *std::move(end.response);
  return NotFetched(request, std::move(end));
}

Result<WebRequest> Next(const WebRequest& request, const WebResponse& redirect, int left) {
  if (left > 0) return FollowRedirect(request, redirect);
  return Fail({ErrorCode::kPermissionDenied, "its redirect is not followed: it is one too many"});
}

}  // namespace

FetchResult Fetch(const WebRequest& request, const FetchOptions& options) {
  const Deadline deadline(options.limits.total, options.stop_fd);
  TlsOptions tls = options.tls;
  WebRequest redirected;
  const WebRequest* now = &request;
  for (int left = options.redirects_max;; --left) {
    FetchResult fetched = FetchOne(*now, tls, options, deadline);
    if (!fetched || options.redirects_max <= 0 || !IsRedirect(fetched->status)) return fetched;
    auto next = Next(*now, *fetched, left);
    if (!next) return NotFetched(*now, {Fail(next.error()), true, *std::move(fetched)});
    if (!HaveOneOrigin(now->to, next->to)) tls.certificate = tls.key = "";
    redirected = *std::move(next);
    now = &redirected;
  }
}

}  // namespace gp
