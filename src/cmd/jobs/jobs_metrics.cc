// The metrics that a job reports of its training (docs/metrics.md).

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "cmd/connection/controller_line.h"
#include "cmd/jobs/detach.h"
#include "cmd/jobs/job_follow.h"
#include "cmd/jobs/jobs.h"
#include "cmd/metrics/event_runs.h"
#include "cmd/metrics/follow_metrics.h"
#include "cmd/metrics/metric_lines.h"
#include "cmd/metrics/metric_table.h"

namespace gp {
namespace {

struct MetricsQuery {
  std::string job;
  std::vector<std::string> names;
  int points = 0;
  bool superseded = false;
  bool follow = false;
  std::optional<std::string> tensorboard;  // directory
};

// For programs: a row for each point.
void PrintPoints(const v1::GetJobMetricsReply& reply, const Cli& cli) {
  if (!cli.no_headers) std::fputs(CsvHeader().c_str(), stdout);
  std::fputs(ToCsvLines(PointsOf(reply)).c_str(), stdout);
}

v1::GetJobMetricsRequest MetricsRequestOf(const MetricsQuery& query) {
  v1::GetJobMetricsRequest request;
  request.set_job_id(query.job);
  for (const std::string& name : query.names) request.add_names(name);
  request.set_points(query.points);
  request.set_superseded(query.superseded);
  return request;
}

v1::WatchJobMetricsRequest WatchRequestOf(const MetricsQuery& query) {
  v1::WatchJobMetricsRequest request;
  request.set_job_id(query.job);
  for (const std::string& name : query.names) request.add_names(name);
  return request;
}

Result<v1::GetJobMetricsReply> FetchMetrics(const v1::GetJobMetricsRequest& request,
                                            const Cli& cli) {
  // After following, a connection of before may be to a controller that is gone.
  const auto client = GP_TRY(OpenController(cli.server));
  return client->Call<v1::GetJobMetricsReply>("GetJobMetrics", request);
}

void SayNone(const MetricsQuery& query, bool may_come, Cli& cli) {
  cli.Say("no metrics" + std::string(query.names.empty() ? "" : " of these names") +
          (may_come ? " yet" : "") +
          ": the job reports them by lines such as `metric step=1 loss=0.5` to the pipe "
          "$GP_REPORT");
}

void ShowMetrics(const MetricsQuery& query, Cli& cli) {
  const auto reply = FetchMetrics(MetricsRequestOf(query), cli);
  if (!reply) return cli.Complain(reply.error());
  if (cli.PrintDocument(*reply)) return;
  if (cli.output == "csv") return PrintPoints(*reply, cli);
  if (reply->series().empty()) return SayNone(query, true, cli);
  PrintMetricTable(*reply, cli);
}

// After following: how the job ended, or that it goes on.
void SayEnd(const MetricsQuery& query, const FollowedMetrics& followed, Cli& cli) {
  const v1::Job& job = followed.job;
  if (followed.is_interrupted) {
    if (!cli.quiet) std::fputc('\n', stderr);  // the terminal has ^C on this line
    cli.exit_code = kExitDetached;
    return cli.Say("interrupted; the job is not affected");
  }
  if (followed.points == 0) SayNone(query, false, cli);
  if (job.state() != v1::COMPLETED) cli.Say(job.id() + " " + job.detail() + ": " + job.reason());
}

std::string ToLines(const std::string& job, const SeriesPoints& points, const Cli& cli) {
  if (cli.WantsDocument()) return ToJsonLines(job, points);
  return cli.output == "csv" ? ToCsvLines(points) : ToTextLines(job, points);
}

void PrintAsTheyCome(const MetricsQuery& query, Cli& cli) {
  if (!cli.json && cli.output != "table" && cli.output != "csv" && cli.output != "json")
    return cli.Complain(
        InvalidArgument("--output " + cli.output + ": --follow offers table, csv and json"));
  if (cli.output == "csv" && !cli.no_headers) std::fputs(CsvHeader().c_str(), stdout);
  const auto print = [&cli](const v1::Job& job, const SeriesPoints& points) -> Status {
    std::fputs(ToLines(job.id(), points, cli).c_str(), stdout);
    if (std::fflush(stdout) == 0) return Ok();
    return Fail(Internal(std::string("standard output: ") + std::strerror(errno)));
  };
  const auto followed = FollowMetrics(cli, WatchRequestOf(query), print);
  if (!followed) return cli.Complain(followed.error());
  SayEnd(query, *followed, cli);
}

// All points that the controller has, unless fewer were asked for.
v1::GetJobMetricsRequest FullRequestOf(const MetricsQuery& query) {
  v1::GetJobMetricsRequest request = MetricsRequestOf(query);
  if (query.points == 0) request.set_points(kCurvePointsMax);
  return request;
}

Status WriteRuns(const MetricsQuery& query, EventRuns& runs, Cli& cli) {
  const v1::GetJobMetricsReply reply = GP_TRY(FetchMetrics(FullRequestOf(query), cli));
  const SeriesPoints points = InOrder(PointsOf(reply));
  if (points.empty()) {
    SayNone(query, true, cli);
    return Ok();
  }
  GP_CHECK_OK(runs.Replace(points));
  for (const std::string& file : runs.files()) std::printf("%s\n", file.c_str());
  cli.Say(Count(reply.series_size(), "curve") + " with " +
          Count(static_cast<int64_t>(points.size()), "point") + "; show: tensorboard --logdir " +
          *query.tensorboard);
  return Ok();
}

// While the job runs the files only grow, as TensorBoard expects it; at the end they become what
// the same command without --follow writes.
Status KeepRuns(const MetricsQuery& query, EventRuns& runs, Cli& cli) {
  const FollowedMetrics followed = GP_TRY(FollowMetrics(
      cli, WatchRequestOf(query),
      [&runs](const v1::Job&, const SeriesPoints& points) { return runs.Append(points); }));
  SayEnd(query, followed, cli);
  return followed.points == 0 ? Ok() : WriteRuns(query, runs, cli);
}

Status WriteTensorboard(MetricsQuery query, Cli& cli) {
  if (cli.WantsDocument() || cli.output != "table")
    return Fail(InvalidArgument("--tensorboard writes files: it goes with no --output"));
  const v1::Job job = GP_TRY(FetchJob(cli, query.job));
  query.job = job.id();  // a name may later be that of another job
  EventRuns runs = GP_TRY(EventRuns::Open(*query.tensorboard, job, query.superseded));
  return query.follow ? KeepRuns(query, runs, cli) : WriteRuns(query, runs, cli);
}

void DoMetrics(const MetricsQuery& query, Cli& cli) {
  if (query.tensorboard) {
    const Status written = WriteTensorboard(query, cli);
    if (!written) cli.Complain(written.error());
    return;
  }
  if (query.follow) return PrintAsTheyCome(query, cli);
  if (cli.Offers({"table", "csv"})) ShowMetrics(query, cli);
}

}  // namespace

void AddJobMetrics(CLI::App& jobs, Cli& cli) {
  CLI::App* sub = jobs.add_subcommand(
      "metrics", "Show what a job reports of its training: loss, accuracy and the like");
  auto query = std::make_shared<MetricsQuery>();
  sub->add_option("job", query->job, "Job by id or name")->required();
  sub->add_option("names", query->names, "Only these metrics");
  CLI::Option* points =
      sub->add_option("--points", query->points,
                      "Number of points of each curve at most (default 500); neighbours are joined")
          ->type_name("N");
  sub->add_flag("--superseded", query->superseded,
                "Also what later attempts have computed again after a restart");
  sub->add_flag("-f,--follow", query->follow,
                "Print each point as it comes, of all attempts, until the job has ended")
      ->excludes(points);
  sub->add_option("--tensorboard", query->tensorboard,
                  "Write event files for TensorBoard below this directory, with all points; with "
                  "--follow until the job has ended")
      ->type_name("DIRECTORY");
  sub->callback([query, &cli] { DoMetrics(*query, cli); });
}

}  // namespace gp
