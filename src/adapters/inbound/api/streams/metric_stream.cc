// The points of a job's metrics as they come.

#include <chrono>
#include <optional>

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/api/job_reports.h"
#include "adapters/inbound/api/streams/metric_position.h"
#include "adapters/wire/views/job_metrics_view.h"
#include "base/ignore_result.h"
#include "ports/outbound/metric_cursor.h"

namespace gp {
namespace {

// Some 25,000 points.  Each piece costs a look at all sources of the job, so it holds the new parts
// of many.
constexpr size_t kStreamPieceBytes = 1 << 20;
constexpr Duration kLookEvery = Duration::Seconds(1);
// The node sends a job's last points up to about two seconds after its end.
constexpr auto kSettleTime = std::chrono::seconds(3);
constexpr Duration kLongPast = Duration::Seconds(10);

struct FollowedJob {
  MetricPlaces places;
  bool is_over = false;
  bool is_long_past = false;
};

Result<FollowedJob> FindFollowed(ControlGateway& gateway, JobId id) {
  Result<FollowedJob> found = Fail(NotFound("no job " + ToText(id) + " any more"));
  std::vector<AttemptNodes> attempts;
  GP_CHECK_OK(gateway.Read([&](const State& state) {
    const Job* job = state.FindJob(id);
    if (job == nullptr) return;
    const bool is_over = IsTerminal(job->state);
    found = FollowedJob{
        {}, is_over, is_over && job->ended_at.ns > 0 && gateway.Now() - job->ended_at > kLongPast};
    attempts = NodesOfAttempts(*job);
  }));
  if (found) found->places = MetricPlacesOf(id, attempts);
  return found;
}

// What one caller has been sent of a job.
class MetricStream {
 public:
  MetricStream(MetricStore& store, JobId job, const v1::WatchJobMetricsRequest& request,
               MetricEnds ends, Sink<v1::NewMetricPoints>& out)
      : store_(store),
        job_(job),
        names_(request.names().begin(), request.names().end()),
        cursor_(std::move(ends)),
        out_(out) {}

  // Sends all that is there.  False: that was nothing.
  Result<bool> SendNew(const MetricPlaces& places) {
    cursor_.GoBack(places);
    bool is_any = false;
    std::optional<v1::NewMetricPoints> held;  // until it is known whether more follows
    while (!out_.IsGone()) {
      v1::NewMetricPoints next;
      if (!GP_TRY(ReadNext(places, next))) break;
      if (next.series().empty()) continue;
      if (held) {
        held->set_more(true);
        if (!out_.Write(*held)) return true;
      }
      held = std::move(next);
      is_any = true;
    }
    if (held) IgnoreResult(out_.Write(*held), "a peer that has gone ends the connection");
    return is_any;
  }

 private:
  // False: there is no more.
  Result<bool> ReadNext(const MetricPlaces& places, v1::NewMetricPoints& message) {
    std::vector<MetricRecords> records =
        GP_TRY(store_.ReadAfter(job_, cursor_.ends(), kStreamPieceBytes));
    if (records.empty()) return false;
    std::vector<MetricRecords> counted;
    for (MetricRecords& one : records) {
      if (cursor_.Pass(one, places)) counted.push_back(std::move(one));
    }
    NewPointsView(counted, names_, &message);
    message.set_position(ToPosition(cursor_.ends(), places));
    return true;
  }

  MetricStore& store_;
  const JobId job_;
  const std::set<std::string> names_;
  MetricCursor cursor_;
  Sink<v1::NewMetricPoints>& out_;
};

}  // namespace

Status ControlApi::WatchJobMetrics(const Caller& caller, const v1::WatchJobMetricsRequest& request,
                                   Sink<v1::NewMetricPoints>& out) {
  using Clock = std::chrono::steady_clock;
  const JobId id = GP_TRY(JobFor(caller, JobAct::kRead, request.job_id()));
  if (about_.job_metrics == nullptr) return Fail(Unsupported("this controller keeps no metrics"));
  const auto watch = feed_.Follow(id);
  FollowedJob job = GP_TRY(FindFollowed(gateway_, id));
  MetricStream stream(*about_.job_metrics, id, request,
                      GP_TRY(ParsePosition(request.since(), job.places)), out);
  Clock::time_point quiet_since = Clock::now();
  for (bool is_first = true; !out.IsGone(); is_first = false) {
    const bool is_any = GP_TRY(stream.SendNew(job.places));
    if (is_first && !is_any && !out.Write({})) break;
    if (!job.is_over || is_any) quiet_since = Clock::now();
    if (job.is_over &&
        ((is_first && job.is_long_past) || Clock::now() - quiet_since >= kSettleTime))
      break;
    IgnoreResult(watch->Next(kLookEvery), "a time-out is checked by the loop");
    // The job before its metrics: those that are read after its end miss less.
    job = GP_TRY(FindFollowed(gateway_, id));
  }
  return Ok();
}

}  // namespace gp
