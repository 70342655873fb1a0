#include "adapters/inbound/rest/routes.h"

#include <optional>

#include "base/text.h"
#include "gpu_platform/v1/http.pb.h"

namespace gp {
namespace {

constexpr size_t kQueryFieldsMax = 100;

std::optional<int> Digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// Matches a segment of a template with one of a path: "{job_id}:stop" and "job-1:stop".
Result<bool> MatchSegment(std::string_view pattern, std::string_view segment,
                          MatchedRoute& matched) {
  const size_t open = pattern.find('{');
  if (open == std::string_view::npos) return pattern == segment;
  const size_t close = pattern.find('}');
  const std::string_view suffix = pattern.substr(close + 1);
  if (suffix.empty() ? segment.find(':') != std::string_view::npos : !segment.ends_with(suffix))
    return false;
  const std::string_view value = segment.substr(0, segment.size() - suffix.size());
  if (value.empty()) return false;
  matched.fields.emplace_back(pattern.substr(open + 1, close - open - 1),
                              GP_TRY(PercentDecoded(value)));
  return true;
}

Result<bool> MatchPath(const Route& route, const std::vector<std::string>& segments,
                       MatchedRoute& matched) {
  const std::vector<std::string> patterns = Split(route.path, '/');
  if (patterns.size() != segments.size()) return false;
  matched = {&route, {}};
  for (size_t i = 0; i < patterns.size(); ++i) {
    if (!GP_TRY(MatchSegment(patterns[i], segments[i], matched))) return false;
  }
  return true;
}

}  // namespace

Routes::Routes() {
  const auto* service = v1::SubmitJobsRequest::descriptor()->file()->FindServiceByName("Control");
  for (int i = 0; i < service->method_count(); ++i) {
    const auto& options = service->method(i)->options();
    if (!options.HasExtension(v1::http)) continue;
    const v1::HttpRoute& http = options.GetExtension(v1::http);
    const std::string& name = service->method(i)->name();
    routes_.push_back({http.method(), http.path(), "", http.status() == 0 ? 200 : http.status(),
                       name, UnaryMethodNamed(name), http.raw()});
    for (const std::string& alias : http.aliases()) {
      Route same = routes_.back();
      same.path = alias;
      same.alias_of = http.path();
      routes_.push_back(std::move(same));
    }
  }
}

Result<MatchedRoute> Routes::Find(std::string_view method, std::string_view path) const {
  const std::vector<std::string> segments = Split(path, '/');
  std::string others;
  for (const Route& route : routes_) {
    MatchedRoute matched;
    if (!GP_TRY(MatchPath(route, segments, matched))) continue;
    if (route.method == method) return matched;
    others += (others.empty() ? "" : ", ") + route.method;
  }
  if (others.empty()) return Fail(NotFound("there is nothing at " + Printable(path, 200)));
  return Fail(Unsupported(others));
}

Result<std::string> PercentDecoded(std::string_view text, bool plus_is_space) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const auto high = i + 2 < text.size() ? Digit(text[i + 1]) : std::nullopt;
      const auto low = i + 2 < text.size() ? Digit(text[i + 2]) : std::nullopt;
      if (!high || !low)
        return Fail(InvalidArgument("\"" + Printable(text, 100) +
                                    "\": two hexadecimal digits must follow a percent sign"));
      decoded += static_cast<char>(*high * 16 + *low);
      i += 2;
    }
  }
  return decoded;
}

Result<std::vector<std::pair<std::string, std::string>>> ParseQuery(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> fields;
  for (const std::string& part : Split(query, '&')) {
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    if (equals == std::string::npos)
      return Fail(
          InvalidArgument("query: \"" + Printable(part, 60) + "\" has no value: write NAME=VALUE"));
    if (fields.size() >= kQueryFieldsMax)
      return Fail(
          InvalidArgument("query: more than " + std::to_string(kQueryFieldsMax) + " fields"));
    fields.emplace_back(GP_TRY(PercentDecoded(std::string_view(part).substr(0, equals), true)),
                        GP_TRY(PercentDecoded(std::string_view(part).substr(equals + 1), true)));
  }
  return fields;
}

}  // namespace gp
