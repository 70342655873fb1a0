#include "adapters/inbound/rest/server/reply_head.h"

#include <array>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/status.hpp>
#include <charconv>
#include <utility>
#include <vector>

namespace gp {
namespace {

namespace beast = boost::beast;

using HeaderFields = std::vector<std::pair<std::string, std::string>>;

// A later value replaces an earlier one.
void Set(HeaderFields& fields, const std::string& name, const std::string& value) {
  std::erase_if(fields, [&](const auto& field) { return beast::iequals(field.first, name); });
  fields.emplace_back(name, value);
}

HeaderFields FieldsOf(const HttpReply& reply) {
  HeaderFields fields{{"Content-Type", reply.content_type},
                      {"Cache-Control", "no-store"},
                      {"Server", "gpu-platform"},
                      {"X-Content-Type-Options", "nosniff"}};
  for (const auto& [name, value] : reply.headers) Set(fields, name, value);
  return fields;
}

}  // namespace

std::string HeadOf(const HttpReply& reply, unsigned version, bool keep_alive,
                   std::optional<uint64_t> length) {
  HeaderFields fields = FieldsOf(reply);
  if (keep_alive && version < 11) Set(fields, "Connection", "keep-alive");
  if (!keep_alive && version >= 11) Set(fields, "Connection", "close");
  // A 304 has no body, so it must not have the length of one.
  if (length && reply.status != 304) Set(fields, "Content-Length", std::to_string(*length));
  if (!length) Set(fields, "Transfer-Encoding", "chunked");
  const auto reason =
      beast::http::obsolete_reason(beast::http::int_to_status(static_cast<unsigned>(reply.status)));
  std::string head = version >= 11 ? "HTTP/1.1 " : "HTTP/1.0 ";
  head += std::to_string(reply.status) + " " + std::string(reason.data(), reason.size()) + "\r\n";
  for (const auto& [name, value] : fields) head += name + ": " + value + "\r\n";
  return head + "\r\n";
}

std::string BeforeChunk(size_t bytes) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), bytes, 16).ptr;
  return std::string(digits.begin(), end) + "\r\n";
}

}  // namespace gp
