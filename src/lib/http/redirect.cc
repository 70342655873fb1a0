#include "lib/http/redirect.h"

#include <algorithm>

namespace gp {
namespace {

constexpr std::string_view kForAnyHost[] = {
    "accept",          "accept-charset", "accept-encoding",
    "accept-language", "if-match",       "if-modified-since",
    "if-none-match",   "if-range",       "if-unmodified-since",
    "range",           "user-agent"};

bool IsForAnyHost(const std::string& name) {
  return std::ranges::any_of(kForAnyHost,
                             [&](std::string_view other) { return IsSameHeader(other, name); });
}

bool DescribesBody(const std::string& name) {
  return name.size() > 8 && IsSameHeader(name.substr(0, 8), "content-");
}

std::unexpected<Error> NotFollowed(const std::string& why) {
  return Fail({ErrorCode::kPermissionDenied, "its redirect is not followed: " + why});
}

}  // namespace

bool IsRedirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Result<WebRequest> FollowRedirect(const WebRequest& request, const WebResponse& redirect) {
  const std::string* location = FindHeader(redirect.headers, "location");
  const auto to = location ? ResolveLocation(request.to, *location)
                           : Result<WebAddress>(Fail(InvalidArgument("")));
  if (!to) return NotFollowed("it names no address of HTTP");
  if (request.to.is_encrypted && !to->is_encrypted)
    return NotFollowed("from https to http, to " + to->host);
  const bool is_plain_read = request.method == "GET" || request.method == "HEAD";
  if ((redirect.status == 301 || redirect.status == 302) && !is_plain_read)
    return NotFollowed("clients differ in what " + std::to_string(redirect.status) + " means for " +
                       request.method);
  const bool is_other = !HaveOneOrigin(request.to, *to);
  const bool keeps_body = redirect.status != 303;
  if (keeps_body && request.source.next) return NotFollowed("the body cannot be read again");
  if (keeps_body && is_other && !request.body.empty())
    return NotFollowed("the body would go to another server, " + to->host);
  WebRequest next;
  next.method = keeps_body || request.method == "HEAD" ? request.method : "GET";
  next.to = *to;
  if (keeps_body) next.body = request.body;
  for (const auto& header : request.headers)
    if ((!is_other || IsForAnyHost(header.first)) && (keeps_body || !DescribesBody(header.first)))
      next.headers.push_back(header);
  return next;
}

}  // namespace gp
