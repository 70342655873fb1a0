#include "lib/http/web_post.h"

#include "lib/http/fetch.h"

namespace gp {
namespace {

constexpr uint64_t kAnswerMax = 64 << 10;
constexpr uint32_t kAnswerHeadMax = 8 << 10;

HttpAnswer ToAnswer(WebResponse response) { return {response.status, std::move(response.body)}; }

}  // namespace

Result<HttpAnswer> Post(const WebPost& post, int stop_fd) {
  WebRequest request;
  request.method = "POST";
  request.to = post.to;
  request.headers = post.headers;
  request.body = post.body;
  FetchOptions options;
  options.limits.total = post.time_limit;
  options.limits.handshake = options.limits.idle = Duration{};  // the total time limits them
  options.limits.body_bytes_max = kAnswerMax;
  options.limits.header_bytes_max = kAnswerHeadMax;
  options.tls.authorities = post.authorities;
  options.stop_fd = stop_fd;
  FetchResult fetched = Fetch(request, options);
  if (fetched) return ToAnswer(*std::move(fetched));
  // The head makes an answer valid, even if the body is truncated, endless or slow.
  FetchError& error = fetched.error();
  if (error.response) return ToAnswer(*std::move(error.response));
  return Fail(Unavailable(post.to.host + ": " + error.reason));
}

}  // namespace gp
