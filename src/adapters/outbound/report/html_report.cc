#include "adapters/outbound/report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "adapters/outbound/report/figure_rows.h"
#include "adapters/outbound/report/html_text.h"
#include "adapters/outbound/report/node_strip.h"
#include "adapters/outbound/report/report_style.h"
#include "adapters/outbound/report/svg_axes.h"
#include "adapters/outbound/report/time_plot.h"

namespace gp {
namespace {

// All runs share one scale, so that they can be compared.
struct Extent {
  double seconds = 1;
  double gpus = 1;
  double waiting = 1;
  double wait_s = 10;
  Ground ground;
};

// Text in pictures has the size of the text around them.
double WidthFor(size_t runs) { return runs == 1 ? 820 : runs == 2 ? 560 : 370; }

double Highest(const std::vector<double>& means) {
  return means.empty() ? 0 : std::ranges::max(means);
}

Extent ExtentOf(const std::vector<ReportRun>& runs) {
  Extent extent;
  size_t letters = 0;
  for (const ReportRun& run : runs) {
    extent.seconds =
        std::max(extent.seconds, static_cast<double>((run.series.end - run.series.begin).ns) / 1e9);
    extent.gpus = std::max({extent.gpus, Highest(run.series.installed), Highest(run.series.held)});
    for (const NodeSeries& node : run.series.nodes)
      letters = std::max(letters, node.name.size() + 2);
    extent.waiting = std::max(extent.waiting, Highest(run.series.waiting));
    for (const QueueWaits& waits : run.waits)
      extent.wait_s = std::max(extent.wait_s, std::ranges::max(waits.seconds));
  }
  extent.ground = {WidthFor(runs.size()), MarginFor(letters)};
  return extent;
}

std::string Cell(const std::string& tag, const std::string& text) {
  return "<" + tag + ">" + Escape(text) + "</" + tag + ">";
}

std::string TableRow(const std::string& tag, const FigureRow& cells) {
  std::string html = "<tr>";
  for (const std::string& cell : cells) html += Cell(tag, cell);
  return html + "</tr>\n";
}

std::string Table(const FigureRow& head, const std::vector<FigureRow>& rows) {
  std::string html = "<div class=\"card scroll\"><table>\n" + TableRow("th", head);
  for (const FigureRow& row : rows) html += TableRow("td", row);
  return html + "</table></div>\n";
}

std::string Section(const std::string& title, const std::string& words,
                    const std::string& content) {
  return "<section>\n" + Cell("h2", title) + "\n" +
         (words.empty() ? "" : "<p>" + words + "</p>\n") + content + "</section>\n";
}

// One card for each run.
template <typename Draw>
std::string Cards(const std::vector<ReportRun>& runs, Draw draw) {
  std::string html = "<div class=\"cards\">\n";
  for (const ReportRun& run : runs)
    html += "<div class=\"card\">" + Cell("h3", run.name) + "\n" + draw(run) + "</div>\n";
  return html + "</div>\n";
}

std::string GpuPlots(const std::vector<ReportRun>& runs, const Extent& extent) {
  const std::string words =
      "<span class=\"key k-held\"></span>held<span class=\"key line\"></span>in service<span "
      "class=\"key dash\"></span>installed";
  return Section("GPUs", words, Cards(runs, [&](const ReportRun& run) {
                   const RunSeries& s = run.series;
                   return DrawTimePlot({"GPUs over time: " + run.name,
                                        {{"held area", s.held, s.span},
                                         {"installed", s.installed, s.span},
                                         {"serving", s.serving, s.span}},
                                        extent.seconds,
                                        extent.gpus,
                                        extent.ground});
                 }));
}

std::string WaitingPlots(const std::vector<ReportRun>& runs, const Extent& extent) {
  return Section("Jobs waiting", "<span class=\"key k-waiting\"></span>in the queue",
                 Cards(runs, [&](const ReportRun& run) {
                   return DrawTimePlot({"Jobs waiting over time: " + run.name,
                                        {{"waiting area", run.series.waiting, run.series.span}},
                                        extent.seconds,
                                        extent.waiting,
                                        extent.ground});
                 }));
}

std::string WaitPlots(const std::vector<ReportRun>& runs, const Extent& extent) {
  const std::string words =
      "From submit to first start. Bar: the middle half of the jobs; tick: the median; ring: 95 of "
      "100 waited no longer; line: from the shortest to the longest.";
  return Section("Waits by queue", words, Cards(runs, [&](const ReportRun& run) {
                   std::string html = DrawWaitPlot("Waits by queue: " + run.name, run.waits,
                                                   extent.wait_s, extent.ground.width);
                   if (run.waits.size() > kWaitRowsMax)
                     html += fmt::format("<p>and {} queues with fewer jobs</p>",
                                         run.waits.size() - kWaitRowsMax);
                   return html;
                 }));
}

std::string NodeStrips(const std::vector<ReportRun>& runs, const Extent& extent) {
  const std::string words =
      "The stronger the colour, the more of its GPUs were held.<span class=\"key gap "
      "k-held\"></span>all<span class=\"key k-idle\"></span>none<span class=\"key "
      "k-out\"></span>out of service";
  return Section("Nodes", words, Cards(runs, [&](const ReportRun& run) {
                   return DrawNodeStrip("GPUs held of each node: " + run.name, run.series,
                                        extent.seconds, extent.ground);
                 }));
}

std::string Figures(const std::vector<ReportRun>& runs) {
  FigureRow head{""};
  std::vector<RunFigures> figures;
  for (const ReportRun& run : runs) {
    head.push_back(run.name);
    figures.push_back(run.figures);
  }
  std::string html = Table(head, FigureRows(figures));
  for (const std::string& model : ModelsWithoutPrice(figures))
    html += "<p>" + Escape(model) + " has no price: it is not in the cost.</p>\n";
  const std::vector<FigureRow> queues = QueueRows(figures);
  head[0] = "wait in";
  return Section("Figures", "", html) + (queues.empty() ? "" : "<br>" + Table(head, queues));
}

}  // namespace

std::string HtmlReport(const RunReport& report) {
  const Extent extent = ExtentOf(report.runs);
  std::string html =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n" +
      Cell("title", report.title) + "\n<style>" + kReportStyle +
      "</style>\n</head>\n<body>\n<main" + (report.runs.size() == 1 ? " class=\"one\"" : "") +
      ">\n" + Cell("h1", report.title) + "\n";
  for (const std::string& note : report.notes) html += Cell("p", note) + "\n";
  html += GpuPlots(report.runs, extent) + WaitingPlots(report.runs, extent) +
          NodeStrips(report.runs, extent) + WaitPlots(report.runs, extent);
  html += Figures(report.runs);
  if (!report.source.empty())
    html += Section(report.source_title, "",
                    "<div class=\"card\"><pre>" + Escape(report.source) + "</pre></div>\n");
  return html + "</main>\n</body>\n</html>\n";
}

std::vector<QueueWaits> WaitsOf(const std::vector<JobLife>& lives) {
  std::map<std::string, std::vector<double>> by_queue;
  for (const JobLife& life : lives) {
    if (life.started_at)
      by_queue[life.queue].push_back(
          static_cast<double>((*life.started_at - life.submitted_at).ns) / 1e9);
  }
  std::vector<QueueWaits> waits;
  for (auto& [queue, seconds] : by_queue) waits.push_back({queue, std::move(seconds)});
  std::ranges::stable_sort(waits, std::ranges::greater(),
                           [](const QueueWaits& one) { return one.seconds.size(); });
  return waits;
}

}  // namespace gp
