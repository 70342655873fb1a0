#include "adapters/inbound/rest/stale_reads.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/inbound/rest/problem.h"
#include "adapters/inbound/rest/routes.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr std::string_view kAnsweredFromLog[] = {
    "ListJobs",    "GetJob",      "GetJobReport",  "GetCluster",       "ListQueues",
    "ListBudgets", "GetUsage",    "PlanMoves",     "ListReservations", "ListRoles",
    "ListTokens",  "GetIncident", "ListIncidents", "WhoAmI",           "ListControllers"};

// A request without its "stale", and what that said.
struct StaleRequest {
  HttpRequest request;
  std::optional<Duration> at_most;
};

Result<StaleRequest> TakeStale(const HttpRequest& request) {
  StaleRequest taken{request, std::nullopt};
  const size_t mark = request.target.find('?');
  if (mark == std::string::npos) return taken;
  const std::string_view query = std::string_view(request.target).substr(mark + 1);
  // Refuses what a later reader of the rest would refuse as well.
  for (const auto& [name, value] : GP_TRY(ParseQuery(query))) {
    if (name != kStaleField) continue;
    if (taken.at_most) return Fail(InvalidArgument("stale: is given twice"));
    const Result<Duration> at_most = ParseDuration(value);
    if (!at_most) return Fail(at_most.error().Within("stale"));
    taken.at_most = *at_most;
  }
  std::string rest;
  for (const std::string& part : Split(query, '&')) {
    if (part.substr(0, part.find('=')) == kStaleField) continue;
    rest += (rest.empty() ? "" : "&") + part;
  }
  taken.request.target = request.target.substr(0, mark) + (rest.empty() ? "" : "?" + rest);
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
  if (request.method != "GET") return false;
  const Result<StaleRequest> taken = TakeStale(request);
  return !taken || taken->at_most;
}

HttpReply AnswerStale(const HttpRequest& request, std::optional<Duration> age,
                      const AnswerHttp& answer) {
  if (request.method != "GET") return NotARead(request.method);
  const Result<StaleRequest> taken = TakeStale(request);
  if (!taken) return ProblemOf(taken.error());
  if (!age)
    return ProblemOf(Unavailable("this controller does not have the whole log: ask another one"));
  const Duration at_most = taken->at_most.value_or(kStaleMax);
  HttpReply reply = *age > at_most
                        ? ProblemOf(Unavailable("the state here may be " + Seconds(*age) +
                                                " s old, and at most " + Seconds(at_most) +
                                                " s are asked for: ask the leader"))
                        : answer(taken->request);
  reply.headers.emplace_back(kAgeHeader, Seconds(*age));
  return reply;
}

}  // namespace gp
