#include "cmd/watch/watch_intent.h"

#include <string_view>

#include "base/text.h"
#include "cmd/jobs/job_change.h"
#include "cmd/text/service_text.h"
#include "cmd/watch/watch_question.h"

namespace gp {
namespace {

using What = WatchRequest::What;

constexpr std::string_view kActionKeys = "chledD";

WatchIntent Refused(const std::string& why) { return {std::nullopt, why}; }

WatchIntent Wanted(What what, const std::string& subject, std::string text) {
  WatchRequest request;
  request.what = what;
  request.subject = subject;
  return {std::move(request), std::move(text)};
}

bool IsNode(const WatchRow& row) { return !row.place.empty() && !IsGpuName(row.place); }

// Why the row has not one job.
std::string NoOneJob(const WatchRow& row) {
  if (IsNode(row)) return "that needs a job: choose one in F2 (running) or F3 (waiting)";
  if (row.jobs.empty()) return "no job holds " + row.place;
  return row.place + " has " + Count(static_cast<int64_t>(row.jobs.size()), "job") +
         ": choose one in F2";
}

// Of other states, the controller says why they cannot be held.
WatchIntent HoldOrRelease(const std::string& id, const WatchData& data) {
  const v1::Job* job = FindJob(data, id);
  if (job != nullptr && MayBecome(v1::ChangeJobsRequest::RELEASE, *job))
    return Wanted(What::kRelease, id, ReleaseQuestion(data, id));
  if (job != nullptr && job->state() == v1::RUNNING)
    return Refused(id + " runs already: only a job that waits can be held");
  return Wanted(What::kHold, id, HoldQuestion(data, id));
}

WatchIntent ForPlace(const std::string& place, const WatchData& data) {
  if (place.empty()) return Refused("that needs a node or a GPU: choose one in F4 or F1");
  return IsOutOfService(data, place) ? Wanted(What::kOnline, place, OnlineQuestion(place))
                                     : Wanted(What::kDrain, place, DrainQuestion(data, place));
}

WatchIntent ForJob(int key, const std::string& id, const WatchData& data) {
  switch (key) {
    case 'c': return Wanted(What::kCancel, id, CancelQuestion(data, id));
    case 'h': return HoldOrRelease(id, data);
    case 'l': return Wanted(What::kReadLog, id, "output of " + id);
    case 'e': return Wanted(What::kExplainJob, id, "why " + id + " waits");
    default: return Wanted(What::kDescribeJob, id, id);
  }
}

}  // namespace

std::optional<WatchIntent> IntentOf(int key, const WatchRow& row, const WatchData& data) {
  if (key <= 0 || key > '~' || kActionKeys.find(static_cast<char>(key)) == std::string_view::npos)
    return std::nullopt;
  if (key == 'D') return ForPlace(row.place, data);
  if ((key == 'd' || key == 'e') && IsNode(row))
    return Wanted(What::kDescribeNode, row.place, row.place);
  if (row.jobs.size() != 1) return Refused(NoOneJob(row));
  return ForJob(key, row.jobs.front(), data);
}

}  // namespace gp
