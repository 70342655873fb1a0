#include "cmd/settings/text_faults.h"

#include <arpa/inet.h>

#include "base/text.h"
#include "domain/model/jobs/text_rules.h"
#include "lib/http/address_rules.h"

namespace gp {
namespace {

constexpr int64_t kPortMax = 65'535;
constexpr std::string_view kUnix = "unix:";
constexpr std::string_view kFingerprint = "sha256:";
constexpr size_t kFingerprintDigits = 64;

std::string Quote(const std::string& text) { return "\"" + Printable(text, 60) + "\""; }

bool IsHost(const std::string& host) {
  const bool is_v6 = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
  if (!is_v6) return IsHostName(host);
  return host.find_first_not_of("0123456789abcdefABCDEF:.", 1) == host.size() - 1;
}

}  // namespace

std::optional<std::string> AddressFault(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const size_t colon = text.rfind(':');
  const auto port =
      colon == std::string::npos ? std::nullopt : std::optional(ParseCount(text.substr(colon + 1)));
  if (!port || !*port) return Quote(text) + " has no port: write HOST:PORT, such as 127.0.0.1:7070";
  if (**port > kPortMax) return Quote(text) + ": a port is from 0 to 65535";
  if (colon > 0 && !IsHost(text.substr(0, colon)))
    return Quote(text) +
           ": before the port comes a host name or an address, such as 0.0.0.0:7070 "
           "or [::]:7070";
  return std::nullopt;
}

std::optional<std::string> DirectoryFault(const std::string& text) { return PathFault(text); }

std::optional<std::string> NetworkFault(const std::string& text) {
  const auto rules = AddressRules::Parse({text});
  return rules ? std::nullopt : std::optional(rules.error().message);
}

std::optional<std::string> FullAddressFault(const std::string& text) {
  if (text.starts_with(':'))
    return Quote(text) + " has no host: write HOST:PORT, such as 0.0.0.0" + text;
  return AddressFault(text);
}

std::optional<std::string> OwnAddressFault(const std::string& text) {
  if (const auto fault = FullAddressFault(text); fault || text.empty()) return fault;
  std::string host = text.substr(0, text.rfind(':'));
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  char bytes[sizeof(in6_addr)];
  const bool is_address = host == "localhost" || inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
                          inet_pton(AF_INET6, host.c_str(), bytes) == 1;
  if (is_address) return std::nullopt;
  return Quote(text) +
         " is no address of this machine: write its IP address or localhost, such as 0.0.0.0" +
         text.substr(text.rfind(':')) + " for all; its names are for listen.names";
}

std::optional<std::string> ControllerFault(const std::string& text) {
  if (text.starts_with(kUnix)) return PathFault(text.substr(kUnix.size()));
  if (text.starts_with('/')) return PathFault(text);
  return FullAddressFault(text);
}

std::optional<std::string> AuthorityFault(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (!text.starts_with(kFingerprint)) return std::nullopt;  // a file, which is read later
  const std::string digits = text.substr(kFingerprint.size());
  const bool is_one = digits.size() == kFingerprintDigits &&
                      digits.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (is_one) return std::nullopt;
  return "after sha256: come " + std::to_string(kFingerprintDigits) +
         " hexadecimal digits, which the controller prints at startup; here are " +
         std::to_string(digits.size()) + " characters";
}

}  // namespace gp
