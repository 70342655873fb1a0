#include "adapters/inbound/rest/server/framing.h"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <optional>
#include <string_view>

namespace gp {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

constexpr size_t kDigitsMax = 18;
constexpr size_t kHostMax = 261;  // a name of 255 characters, and a port

// The value of a header that may occur once; nullopt: absent.
Result<std::optional<std::string_view>> OnlyOne(const http::fields& fields, http::field name) {
  const auto [first, end] = fields.equal_range(name);
  if (first == end) return std::nullopt;
  if (std::next(first) != end)
    return Fail(InvalidArgument(std::string(http::to_string(name)) + " is given twice"));
  return std::string_view(first->value().data(), first->value().size());
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

Status CheckLength(std::string_view length) {
  if (!length.empty() && length.size() <= kDigitsMax && std::ranges::all_of(length, IsDigit))
    return Ok();
  return Fail(InvalidArgument("Content-Length must be one number"));
}

bool IsOfHost(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("-._~:[]%").find(c) != std::string_view::npos;
}

}  // namespace

Status CheckFraming(const http::fields& fields, unsigned version) {
  const auto coding = GP_TRY(OnlyOne(fields, http::field::transfer_encoding));
  const auto length = GP_TRY(OnlyOne(fields, http::field::content_length));
  const auto host = GP_TRY(OnlyOne(fields, http::field::host));
  if (coding && length)
    return Fail(InvalidArgument("Content-Length is given, and Transfer-Encoding too"));
  if (coding && version < 11)
    return Fail(InvalidArgument("Transfer-Encoding: not before HTTP/1.1"));
  if (coding && !beast::iequals(*coding, "chunked"))
    return Fail(InvalidArgument("Transfer-Encoding must be chunked, and nothing else"));
  if (length) GP_CHECK_OK(CheckLength(*length));
  if (!host && version >= 11) return Fail(InvalidArgument("Host is missing"));
  if (host && (host->size() > kHostMax || !std::ranges::all_of(*host, IsOfHost)))
    return Fail(InvalidArgument("Host is no name of a host"));
  return Ok();
}

}  // namespace gp
