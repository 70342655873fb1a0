// The metrics that jobs report of their training.

#include "adapters/inbound/api/control_api.h"
#include "adapters/wire/views/job_metrics_view.h"

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

// Only what the node of that rank has sent counts.
bool IsOfItsNode(const Job& job, const MetricRecords& records) {
  const auto& [of_job, attempt, rank] = records.source;
  for (const AttemptRecord& one : job.attempts) {
    if (one.number == attempt)
      return rank < static_cast<int>(one.ranks.size()) &&
             one.ranks[static_cast<size_t>(rank)].node == records.node;
  }
  return false;
}

}  // namespace

Status ControlApi::GetJobMetrics(const Caller& caller, const v1::GetJobMetricsRequest& request,
                                 v1::GetJobMetricsReply* reply) {
  const MetricSelection selection = GP_TRY(SelectionOf(request));
  const JobId id = GP_TRY(JobFor(caller, JobAct::kRead, request.job_id()));
  if (about_.job_metrics == nullptr) return Fail(Unsupported("this controller keeps no metrics"));
  std::vector<MetricRecords> records = GP_TRY(about_.job_metrics->Read(id));
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    const Job* job = state.FindJob(id);
    std::erase_if(records, [&](const MetricRecords& one) {
      return job == nullptr || !IsOfItsNode(*job, one);
    });
  }));
  JobMetricsView(records, selection, reply);
  return Ok();
}

}  // namespace gp
