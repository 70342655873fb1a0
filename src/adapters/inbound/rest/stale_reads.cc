#include "adapters/inbound/rest/stale_reads.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/inbound/rest/problem.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr std::string_view kAnsweredFromLog[] = {
    "ListJobs", "GetJob",           "GetJobReport", "GetCluster", "ListQueues",  "ListBudgets",
    "GetUsage", "ListReservations", "ListRoles",    "ListTokens", "GetIncident", "ListIncidents"};

constexpr std::string_view kParameter = "stale=";

// A request without its "stale", and what that said.
struct StaleRequest {
  HttpRequest request;
  std::optional<Duration> at_most;
};

// The rest of the query stays as it is, for those who read it.
Result<StaleRequest> TakeStale(const HttpRequest& request) {
  StaleRequest taken{request, std::nullopt};
  const size_t mark = request.target.find('?');
  if (mark == std::string::npos) return taken;
  std::string rest;
  for (const std::string& part : Split(std::string_view(request.target).substr(mark + 1), '&')) {
    if (!part.starts_with(kParameter)) {
      rest += (rest.empty() ? "?" : "&") + part;
      continue;
    }
    if (taken.at_most) return Fail(InvalidArgument("stale: is given twice"));
    const std::string_view value = std::string_view(part).substr(kParameter.size());
    const Result<Duration> at_most = ParseDuration(value);
    if (!at_most) return Fail(at_most.error().Within("stale"));
    if (*at_most > kStaleMax)
      return Fail(InvalidArgument("stale: at most " + ToText(kStaleMax) +
                                  ": who may read is decided by the state that answers"));
    taken.at_most = *at_most;
  }
  taken.request.target = request.target.substr(0, mark) + rest;
  return taken;
}

std::string Seconds(Duration age) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(age.ns) / 1e9);
  return text;
}

HttpReply NotARead(const std::string& method) {
  HttpReply reply = ProblemWithStatus(
      405, "this door only answers reads, and no " + Printable(method, 20) + ": ask the leader");
  reply.headers.emplace_back("Allow", "GET");
  return reply;
}

}  // namespace

bool IsAnsweredFromLog(std::string_view operation) {
  return std::ranges::find(kAnsweredFromLog, operation) != std::end(kAnsweredFromLog);
}

bool AsksForStale(const HttpRequest& request) {
  return request.method == "GET" && (request.target.find("?stale=") != std::string::npos ||
                                     request.target.find("&stale=") != std::string::npos);
}

HttpReply AnswerStale(const HttpRequest& request, std::optional<Duration> age,
                      const AnswerHttp& answer) {
  if (request.method != "GET") return NotARead(request.method);
  const Result<StaleRequest> taken = TakeStale(request);
  if (!taken) return ProblemOf(taken.error());
  if (!age)
    return ProblemOf(Unavailable("this controller does not have the whole log: ask another one"));
  const Duration at_most = taken->at_most.value_or(kStaleUnlessSaid);
  HttpReply reply = *age > at_most
                        ? ProblemOf(Unavailable("the state here may be " + Seconds(*age) +
                                                " s old, and at most " + Seconds(at_most) +
                                                " s are asked for: ask another controller"))
                        : answer(taken->request);
  reply.headers.emplace_back(kAgeHeader, Seconds(*age));
  return reply;
}

}  // namespace gp
