#include "lib/http/web_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kUrlMax = 2'000;
constexpr size_t kLocationMax = 8'000;

bool IsHost(const std::string& host) {
  if (!host.starts_with('[')) return IsHostName(host);
  if (!host.ends_with(']')) return false;
  in6_addr ignored{};
  return inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &ignored) == 1;
}

bool IsPort(const std::string& text) {
  const bool are_digits = !text.empty() && text.size() <= 5 &&
                          std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  return are_digits && std::stoi(text) >= 1 && std::stoi(text) <= 65'535;
}

Result<WebAddress> ParseUpTo(const std::string& url, size_t url_max) {
  const auto fault = [](const std::string& what) {
    return Fail(InvalidArgument(what + ": an address such as https://hooks.example.org/gpu"));
  };
  WebAddress address;
  address.is_encrypted = url.starts_with("https://");
  if (!address.is_encrypted && !url.starts_with("http://"))
    return fault("begins with neither https:// nor http://");
  const bool is_plain = std::ranges::all_of(url, [](char c) { return c > ' ' && c < '\x7f'; });
  if (!is_plain || url.size() > url_max)
    return fault("longer than " + std::to_string(url_max) +
                 " characters, or with characters that addresses do not have");
  const std::string rest = url.substr(url.find("//") + 2);
  const size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  std::string authority = rest.substr(0, end);
  if (authority.contains('@')) return fault("has a user or a password in it");
  address.target = rest.substr(end, rest.find('#') - end);
  if (!address.target.starts_with('/')) address.target.insert(0, "/");
  const size_t colon = authority.rfind(':');
  const bool has_port =
      colon != std::string::npos && authority.find(']', colon) == std::string::npos;
  address.port = has_port ? authority.substr(colon + 1) : address.is_encrypted ? "443" : "80";
  address.host = has_port ? authority.substr(0, colon) : authority;
  if (!IsHost(address.host) || !IsPort(address.port))
    return fault("has no host, or no port from 1 to 65535");
  return address;
}

// Without the segments "." and ".." (RFC 3986, 5.2.4); what follows the path stays.
std::string WithoutDots(const std::string& target) {
  const size_t end = std::min(target.find_first_of("?#"), target.size());
  std::vector<std::string> kept;
  const std::vector<std::string> segments = Split(target.substr(1, end - 1), '/');
  for (size_t i = 0; i < segments.size(); ++i) {
    const bool is_dots = segments[i] == "." || segments[i] == "..";
    if (segments[i] == ".." && !kept.empty()) kept.pop_back();
    if (!is_dots) kept.push_back(segments[i]);
    if (is_dots && i + 1 == segments.size()) kept.emplace_back();
  }
  return "/" + Join(kept, "/") + target.substr(end);
}

std::string Lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace

Result<WebAddress> ParseWebAddress(const std::string& url) { return ParseUpTo(url, kUrlMax); }

Result<WebAddress> ResolveLocation(const WebAddress& base, const std::string& location) {
  const std::string scheme = base.is_encrypted ? "https:" : "http:";
  const std::string origin = scheme + "//" + base.host + ":" + base.port;
  const std::string path = base.target.substr(0, base.target.find('?'));
  const size_t colon = location.find(':');
  const bool has_scheme = colon != std::string::npos && colon < location.find_first_of("/?#");
  if (location.empty()) return Fail(InvalidArgument("an empty address"));
  if (has_scheme) return ParseUpTo(location, kLocationMax);
  if (location.starts_with("//")) return ParseUpTo(scheme + location, kLocationMax);
  if (location.starts_with('/')) return ParseUpTo(origin + location, kLocationMax);
  if (location.starts_with('?')) return ParseUpTo(origin + path + location, kLocationMax);
  if (location.starts_with('#')) return base;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  return ParseUpTo(origin + WithoutDots(folder + location), kLocationMax);
}

std::string BareHost(const WebAddress& address) {
  return address.host.starts_with('[') ? address.host.substr(1, address.host.size() - 2)
                                       : address.host;
}

std::string HostAndPort(const WebAddress& address) {
  const bool is_usual = address.port == (address.is_encrypted ? "443" : "80");
  return is_usual ? address.host : address.host + ":" + address.port;
}

bool HaveOneOrigin(const WebAddress& a, const WebAddress& b) {
  return a.is_encrypted == b.is_encrypted && Lower(a.host) == Lower(b.host) && a.port == b.port;
}

bool IsLoopback(const std::string& host) {
  in_addr numbers{};
  const bool is_numeric = inet_pton(AF_INET, host.c_str(), &numbers) == 1;
  return (is_numeric && (ntohl(numbers.s_addr) >> 24) == 127) || host == "localhost" ||
         host == "::1";
}

}  // namespace gp
