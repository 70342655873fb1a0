#include "adapters/outbound/etcd/etcd_options.h"

#include <algorithm>

#include "base/text.h"
#include "lib/http/web_address.h"

namespace gp {
namespace {

constexpr std::string_view kPrefix = "etcd:";
constexpr size_t kEndpointsMax = 9;  // etcd advises against more than seven members
constexpr std::string_view kHttps = "https://";

// Without the slash that may end it.
Result<std::string> ParseEndpoint(const std::string& text) {
  const std::string where = "--store: \"" + Printable(text) + "\"";
  const auto parsed = ParseWebAddress(text);
  if (!parsed) return Fail(parsed.error().Within(where));
  if (parsed->target != "/")
    return Fail(InvalidArgument(where + ": remove the path after the port"));
  if (!parsed->is_encrypted && !IsLoopback(BareHost(*parsed)))
    return Fail(InvalidArgument(
        where +
        ": must begin with https://: the log leaves this machine, and has secrets of jobs"));
  const std::string endpoint = text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
  if (!endpoint.ends_with(":" + parsed->port))
    return Fail(InvalidArgument(where + ": needs its port, such as " + endpoint + ":2379"));
  return endpoint;
}

bool IsEncrypted(const EtcdOptions& options) {
  return options.endpoints.front().starts_with(kHttps);
}

}  // namespace

Result<EtcdOptions> ParseEtcdStore(std::string_view text) {
  if (!text.starts_with(kPrefix) || text.size() == kPrefix.size())
    return Fail(InvalidArgument("--store: must be such as etcd:https://e1:2379,https://e2:2379"));
  EtcdOptions options;
  for (const std::string& part : Split(text.substr(kPrefix.size()), ',')) {
    std::string endpoint = GP_TRY(ParseEndpoint(part));
    if (std::ranges::find(options.endpoints, endpoint) != options.endpoints.end())
      return Fail(InvalidArgument("--store: " + endpoint + " is there twice"));
    options.endpoints.push_back(std::move(endpoint));
    const std::string& last = options.endpoints.back();
    if (last.starts_with(kHttps) != IsEncrypted(options))
      return Fail(InvalidArgument("--store: " + last + ": all endpoints must begin with the same " +
                                  "of https:// and http://"));
  }
  if (options.endpoints.size() > kEndpointsMax)
    return Fail(InvalidArgument("--store: at most " + Count(kEndpointsMax, "endpoint") + ", not " +
                                std::to_string(options.endpoints.size())));
  return options;
}

Status CheckEtcdOptions(const EtcdOptions& options) {
  const auto fault = [](const std::string& what) { return Fail(InvalidArgument("etcd: " + what)); };
  if (options.endpoints.empty()) return fault("no endpoint is given");
  if (options.user.empty() != options.password.empty())
    return fault("a user needs a password, and a password its user");
  if (options.identity.certificate.empty() != options.identity.key.empty())
    return fault("a client's certificate needs its key, and a key its certificate");
  const bool has_certificates = !options.authority.empty() || !options.identity.key.empty();
  if (!IsEncrypted(options))
    return has_certificates ? fault("certificates need endpoints that begin with https://") : Ok();
  if (options.authority.empty())
    return fault("endpoints with https:// need the certificate of their authority");
  const auto authority = ReadCertificate(options.authority);
  if (!authority) return Fail(authority.error().Within("etcd: the authority's certificate"));
  if (options.identity.certificate.empty()) return Ok();
  const auto own = ReadCertificate(options.identity.certificate);
  if (!own) return Fail(own.error().Within("etcd: the client's certificate"));
  return Ok();
}

}  // namespace gp
