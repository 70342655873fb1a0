#include "lib/sigv4/canonical_request.h"

#include <algorithm>

#include "base/text.h"

namespace gp {
namespace {

bool IsUnreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").contains(c);
}

// Sorted by encoded name, then by encoded value.
std::string CanonicalQuery(const AwsRequest& request) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [name, value] : request.query)
    pairs.emplace_back(UriEncode(name), UriEncode(value));
  std::ranges::sort(pairs);
  std::string query;
  for (const auto& [name, value] : pairs) query += (query.empty() ? "" : "&") + name + "=" + value;
  return query;
}

}  // namespace

std::string UriEncode(std::string_view text, bool is_path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (IsUnreserved(c) || (is_path && c == '/')) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return encoded;
}

std::string TargetOf(const AwsRequest& request) {
  const std::string query = CanonicalQuery(request);
  return UriEncode(request.path, true) + (query.empty() ? "" : "?" + query);
}

std::string NamesOf(const SignedHeaders& headers) {
  std::string names;
  for (const auto& [name, value] : headers) names += (names.empty() ? "" : ";") + name;
  return names;
}

std::string CanonicalRequest(const AwsRequest& request, const SignedHeaders& headers,
                             bool encodes_twice) {
  const std::string sent = UriEncode(request.path, true);
  std::string text = request.method + "\n" + (encodes_twice ? UriEncode(sent, true) : sent) + "\n" +
                     CanonicalQuery(request) + "\n";
  for (const auto& [name, value] : headers) text += name + ":" + value + "\n";
  return text + "\n" + NamesOf(headers) + "\n" + request.payload_sha256;
}

}  // namespace gp
