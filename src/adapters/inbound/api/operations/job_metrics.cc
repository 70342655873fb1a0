// The metrics that jobs report of their training.

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/api/job_reports.h"
#include "adapters/wire/views/job_metrics_view.h"
#include "base/ignore_result.h"

namespace gp {
namespace {

constexpr int kPointsMax = 100'000;
constexpr int kPointsDefault = 500;

Result<MetricSelection> SelectionOf(const v1::GetJobMetricsRequest& request) {
  if (request.points() < 0 || request.points() > kPointsMax)
    return Fail(InvalidArgument("points: a number from 1 to 100000, not " +
                                std::to_string(request.points())));
  MetricSelection selection;
  selection.names = {request.names().begin(), request.names().end()};
  selection.points_max =
      static_cast<size_t>(request.points() == 0 ? kPointsDefault : request.points());
  selection.superseded = request.superseded();
  return selection;
}

}  // namespace

Status ControlApi::GetJobMetrics(const Caller& caller, const v1::GetJobMetricsRequest& request,
                                 v1::GetJobMetricsReply* reply) {
  const MetricSelection selection = GP_TRY(SelectionOf(request));
  const JobId id = GP_TRY(JobFor(caller, JobAct::kRead, request.job_id()));
  if (about_.job_metrics == nullptr) return Fail(Unsupported("this controller keeps no metrics"));
  std::vector<MetricRecords> records = GP_TRY(about_.job_metrics->Read(id));
  std::vector<AttemptNodes> attempts;
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    if (const Job* job = state.FindJob(id)) attempts = NodesOfAttempts(*job);
  }));
  const MetricPlaces places = MetricPlacesOf(id, attempts);
  std::erase_if(records,
                [&](const MetricRecords& one) { return !places.contains({one.source, one.node}); });
  JobMetricsView(records, selection, reply);
  return Ok();
}

// An array has no reports of its own.
ControlApi::ReportedBy ControlApi::MayTell(const Caller& caller, const std::string& job) {
  ReportedBy by;
  std::vector<AttemptNodes> attempts;
  IgnoreResult(gateway_.Read([&](const State& state) {
    const auto id = FindJobFor(state, caller, JobAct::kRead, job);
    if (!id) return;
    by.job = *id;
    attempts = NodesOfAttempts(*state.FindJob(*id));
  }),
               "a controller that ends tells nothing");
  by.places = MetricPlacesOf(by.job, attempts);
  return by;
}

// A job is shown without its reports if they cannot be read.
v1::Job ControlApi::ReportsOf(const ReportedBy& by) {
  return reports_.Of(by.job, by.places).value_or(v1::Job());
}

Error ControlApi::WithNotFinite(const Caller& caller, const std::string& job, Error error) {
  if (error.code != ErrorCode::kConflict) return error;
  const std::string text = NotFiniteText(ReportsOf(MayTell(caller, job)));
  if (!text.empty()) error.message += "; " + text;
  return error;
}

}  // namespace gp
