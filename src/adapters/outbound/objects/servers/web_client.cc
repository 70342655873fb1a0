#include "adapters/outbound/objects/servers/web_client.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <iterator>

#include "base/ignore_result.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr int kTransientStatuses[] = {408, 425, 429, 500, 502, 503, 504};

int64_t NowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * Duration::Seconds(1).ns + now.tv_nsec;
}

bool IsTransientStatus(int status) {
  return std::ranges::find(kTransientStatuses, status) != std::end(kTransientStatuses);
}

// An error of a request as one of an object: that an answer is too large is no quota of the caller.
Error ObjectError(const FetchError& error) {
  const bool is_too_large = error.code == ErrorCode::kResourceExhausted;
  return {is_too_large ? ErrorCode::kInvalidArgument : error.code, error.message};
}

}  // namespace

WebClient::WebClient(WebAccess access)
    : access_(std::move(access)), stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Result<WebResponse> WebClient::Send(const WebRequest& request, const AskOptions& asked,
                                    const std::function<Status(const WebResponse&)>& on_head,
                                    const ByteSink& sink) {
  FetchOptions options;
  options.limits.total = {};  // the idle limit bounds it, and the number of bytes does
  options.limits.connect = Duration::Seconds(10);
  options.limits.idle = access_.idle;
  options.limits.body_bytes_max = asked.body_bytes_max;
  options.tls.authorities = access_.authorities;
  options.redirects_max = asked.redirects_max;
  options.stop_fd = stop_.get();
  const bool is_plain = !request.to.is_encrypted;
  options.may_connect = [this, is_plain](const std::string& ip) {
    return is_plain ? access_.rules.CheckPlain(ip) : access_.rules.Check(ip);
  };
  options.on_head = on_head;
  options.sink = sink;
  FetchResult fetched = Fetch(request, options);
  if (!fetched) return Fail(ObjectError(fetched.error()));
  if (!IsTransientStatus(fetched->status)) return *std::move(fetched);
  NoteAskedWait(*fetched);
  return Fail(Unavailable("it answered " + std::to_string(fetched->status)));
}

Result<WebResponse> WebClient::Ask(const std::function<Result<WebRequest>()>& make,
                                   const AskOptions& options) {
  Retries retries(access_.retries, stop_.get());
  while (true) {
    const WebRequest request = GP_TRY(make());
    Result<WebResponse> response = Send(request, options);
    if (response || !retries.Wait(response.error(), AskedWait())) return response;
  }
}

Duration WebClient::AskedWait() const { return {std::max<int64_t>(0, asked_until_ns_ - NowNs())}; }

void WebClient::Stop() {
  const uint64_t one = 1;
  IgnoreResult(write(stop_.get(), &one, sizeof one), "a full counter stops as well");
}

// A date in place of seconds is rare, and the own pauses do as well.
void WebClient::NoteAskedWait(const WebResponse& response) {
  const std::string* after = FindHeader(response.headers, "retry-after");
  const auto seconds = after ? ParseCount(*after) : Result<int64_t>(0);
  if (!seconds || *seconds <= 0) return;
  const Duration wait =
      std::min(Duration::Seconds(std::min<int64_t>(*seconds, 3'600)), access_.retries.longest);
  asked_until_ns_ = NowNs() + wait.ns;
}

Error StatusError(int status, const std::string& detail) {
  const std::string message = "it answered " + std::to_string(status) +
                              (detail.empty() ? "" : " " + Printable(detail, 200));
  switch (status) {
    case 401: return PermissionDenied(message + ": check the credentials");
    case 403: return PermissionDenied(message);
    case 404:
    case 410: return NotFound(message);
    case 409:
    case 412: return Conflict(message);
    default: return InvalidArgument(message);
  }
}

}  // namespace gp
