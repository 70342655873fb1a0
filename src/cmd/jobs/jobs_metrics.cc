// The metrics that a job reports of its training (docs/metrics.md).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "base/text.h"
#include "cmd/jobs/jobs.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

struct MetricsQuery {
  std::string job;
  std::vector<std::string> names;
  int points = 0;
  bool superseded = false;
};

constexpr int kCurveWidth = 24;

std::string ValueText(const v1::MetricCurvePoint& point) {
  return point.has_last() ? fmt::format("{:.6g}", point.last()) : point.not_finite();
}

// Eight heights of a curve; a point that is not a number is a blank.
std::string Curve(const v1::MetricSeries& series, double low, double high) {
  static constexpr const char* kHeights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const int points = series.points_size();
  const int width = std::min(points, kCurveWidth);
  std::string text;
  for (int i = 0; i < width; ++i) {
    const v1::MetricCurvePoint& point = series.points(i * points / width);
    if (!point.has_last()) {
      text += " ";
      continue;
    }
    const double part = high > low ? (point.last() - low) / (high - low) : 0.5;
    text += kHeights[static_cast<int>(std::isfinite(part) ? std::clamp(part * 8, 0.0, 7.0) : 4)];
  }
  return text;
}

struct Extent {
  std::optional<double> low;
  std::optional<double> high;
};

Extent ExtentOf(const v1::MetricSeries& series) {
  Extent extent;
  for (const v1::MetricCurvePoint& point : series.points()) {
    if (point.has_min()) extent.low = std::min(extent.low.value_or(point.min()), point.min());
    if (point.has_max()) extent.high = std::max(extent.high.value_or(point.max()), point.max());
  }
  return extent;
}

Cell NumberOrDash(const std::optional<double>& value) {
  return value ? Cell(fmt::format("{:.6g}", *value), *value) : Cell(kDash);
}

void PrintSeries(const v1::GetJobMetricsReply& reply, Cli& cli) {
  Table table({{.title = "METRIC", .cut = true},
               {.title = "RANK", .right = true, .drop = 3},
               {.title = "STEP", .right = true},
               {.title = "LAST", .right = true},
               {.title = "MIN", .right = true, .drop = 1},
               {.title = "MAX", .right = true, .drop = 2},
               {.title = "CURVE", .drop = 4}});
  for (const v1::MetricSeries& series : reply.series()) {
    const Extent extent = ExtentOf(series);
    const v1::MetricCurvePoint& last = series.last();
    table.Add({series.name(), std::to_string(series.rank()),
               Cell(std::to_string(last.step()), static_cast<double>(last.step())),
               last.has_last() ? Cell(ValueText(last), last.last()) : Cell(ValueText(last)),
               NumberOrDash(extent.low), NumberOrDash(extent.high),
               Curve(series, extent.low.value_or(0), extent.high.value_or(0))});
  }
  cli.PrintTable(table);
  for (const v1::MetricSeries& series : reply.series()) {
    if (!series.has_not_finite_since()) continue;
    const std::string rank =
        series.rank() > 0 ? " of rank " + std::to_string(series.rank()) : std::string();
    cli.Say(series.name() + rank + " is " + ValueText(series.last()) + " since step " +
            std::to_string(series.not_finite_since()));
  }
}

// For programs: a row for each point; empty: no finite value.
void PrintPoints(const v1::GetJobMetricsReply& reply) {
  std::string text = "metric,rank,attempt,step,at,count,min,max,last\n";
  for (const v1::MetricSeries& series : reply.series()) {
    for (const v1::MetricCurvePoint& point : series.points()) {
      text += fmt::format("{},{},{},{},{},{},{},{},{}\n", series.name(), series.rank(),
                          point.attempt(), point.step(), point.at(), point.count(),
                          point.has_min() ? fmt::format("{}", point.min()) : "",
                          point.has_max() ? fmt::format("{}", point.max()) : "",
                          point.has_last() ? fmt::format("{}", point.last()) : point.not_finite());
    }
  }
  std::fputs(text.c_str(), stdout);
}

void ShowMetrics(const MetricsQuery& query, Cli& cli) {
  if (!cli.Offers({"table", "csv"})) return;
  v1::GetJobMetricsRequest request;
  request.set_job_id(query.job);
  for (const std::string& name : query.names) request.add_names(name);
  request.set_points(query.points);
  request.set_superseded(query.superseded);
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto reply = (*client)->Call<v1::GetJobMetricsReply>("GetJobMetrics", request);
  if (!reply) return cli.Complain(reply.error());
  if (cli.PrintDocument(*reply)) return;
  if (cli.output == "csv") return PrintPoints(*reply);
  if (reply->series().empty())
    return cli.Say("no metrics" + std::string(query.names.empty() ? "" : " of these names") +
                   " yet: the job reports them by lines such as `metric step=1 loss=0.5` to the "
                   "pipe $GP_REPORT");
  PrintSeries(*reply, cli);
}

}  // namespace

void AddJobMetrics(CLI::App& jobs, Cli& cli) {
  CLI::App* sub = jobs.add_subcommand(
      "metrics", "Show what a job reports of its training: loss, accuracy and the like");
  auto query = std::make_shared<MetricsQuery>();
  sub->add_option("job", query->job, "Job by id or name")->required();
  sub->add_option("names", query->names, "Only these metrics");
  sub->add_option("--points", query->points,
                  "Number of points of each curve at most (default 500); neighbours are joined")
      ->type_name("N");
  sub->add_flag("--superseded", query->superseded,
                "Also what later attempts have computed again after a restart");
  sub->callback([query, &cli] { ShowMetrics(*query, cli); });
}

}  // namespace gp
