#include "lib/http/http_message.h"

#include <algorithm>

namespace gp {
namespace {

constexpr size_t kMethodMax = 20;
constexpr std::string_view kOurs[] = {"host", "connection", "content-length", "transfer-encoding"};

char LowerChar(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool IsVisible(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

bool IsHeaderName(std::string_view name) {
  return IsVisible(name) && name.find_first_of("\"(),/:;<=>?@[\\]{}") == std::string_view::npos;
}

// A line break would begin a header of its own.
bool IsHeaderValue(std::string_view value) {
  return std::ranges::all_of(value, [](char c) {
    return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != '\x7f');
  });
}

// Servers may refuse these methods without a length.
bool UsuallyHasBody(const std::string& method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

std::string BodyHeader(const WebRequest& request) {
  const bool is_streamed = request.source.next != nullptr;
  if (is_streamed && !request.source.bytes) return "Transfer-Encoding: chunked\r\n";
  const uint64_t bytes = is_streamed ? *request.source.bytes : request.body.size();
  if (bytes == 0 && !is_streamed && !UsuallyHasBody(request.method)) return "";
  return "Content-Length: " + std::to_string(bytes) + "\r\n";
}

}  // namespace

bool IsSameHeader(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, LowerChar, LowerChar);
}

const std::string* FindHeader(const HttpHeaders& headers, std::string_view name) {
  const auto found = std::ranges::find_if(
      headers, [&](const auto& header) { return IsSameHeader(header.first, name); });
  return found == headers.end() ? nullptr : &found->second;
}

Status CheckRequest(const WebRequest& request) {
  const bool is_method =
      !request.method.empty() && request.method.size() <= kMethodMax &&
      std::ranges::all_of(request.method, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!is_method || request.method == "CONNECT")
    return Fail(InvalidArgument("the method is no word in capitals, or CONNECT"));
  if (!IsVisible(request.to.host) || !IsVisible(request.to.port) || !IsVisible(request.to.target) ||
      !request.to.target.starts_with('/'))
    return Fail(InvalidArgument("the address has no host, or no path that begins with /"));
  for (const auto& [name, value] : request.headers) {
    if (!IsHeaderName(name)) return Fail(InvalidArgument("a header has no valid name"));
    if (std::ranges::any_of(kOurs, [&](std::string_view our) { return IsSameHeader(our, name); }))
      return Fail(InvalidArgument("the header " + name + " follows from the request"));
    if (!IsHeaderValue(value))
      return Fail(InvalidArgument("the header " + name + " has control characters in it"));
  }
  return Ok();
}

std::string RequestHead(const WebRequest& request) {
  std::string head = request.method + " " + request.to.target + " HTTP/1.1\r\n";
  head += "Host: " + HostAndPort(request.to) + "\r\n";
  if (!FindHeader(request.headers, "user-agent")) head += "User-Agent: gpu-platform\r\n";
  for (const auto& [name, value] : request.headers) head += name + ": " + value + "\r\n";
  return head + BodyHeader(request) + "\r\n";
}

}  // namespace gp
