#include "adapters/outbound/report/html_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/outbound/report/node_strip.h"

namespace gp {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Instant kBegin{1'000'000'000'000'000'000};

RunSeries Series(size_t nodes) {
  RunSeries series;
  series.begin = kBegin;
  series.end = kBegin + Duration::Seconds(40);
  series.span = Duration::Seconds(10);
  series.installed = {16, 16, 16, 16};
  series.serving = {16, 8, 8, 16};
  series.held = {16, 4, 0, 12};
  series.waiting = {0, 3, 1, 0};
  for (size_t i = 0; i < nodes; ++i)
    series.nodes.push_back({"node-" + std::to_string(i), 8, {8, 4, 0, 0}, {8, 8, 0, 8}});
  return series;
}

JobLife Life(const std::string& queue, int64_t wait_s) {
  return {queue, kBegin, kBegin + Duration::Seconds(wait_s), {}, 0, 0};
}

RunReport Report() {
  const std::vector<JobLife> lives = {Life("a", 5), Life("b", 70), Life("b", 0)};
  RunReport report{"Scenario x", {"A note."}, {}, "x.yaml", "jobs: []\n"};
  report.runs.push_back({"Played", FiguresOf(lives, {}), Series(2), WaitsOf(lives)});
  return report;
}

size_t CountOf(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size()))
    ++count;
  return count;
}

TEST(HtmlReport, NeedsNothingElse) {
  const std::string html = HtmlReport(Report());
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  for (const char* outside : {"http:", "https:", "src=", "url(", "<script", "@import", "<link"})
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  EXPECT_EQ(CountOf(html, "<svg"), 4u);
  EXPECT_EQ(CountOf(html, "</svg>"), 4u);
  EXPECT_THAT(html, HasSubstr("jobs: []"));
  EXPECT_THAT(html, HasSubstr("A note."));
}

TEST(HtmlReport, NothingOfAnyTextIsMarkup) {
  const std::string evil = "<b>\"x\" & 'y'\x01";
  RunReport report = Report();
  report.title = report.source_title = report.source = report.notes[0] = evil;
  ReportRun& run = report.runs[0];
  run.name = run.series.nodes[0].name = run.waits[0].queue = evil;
  run.figures.by_queue[evil] = {};
  run.figures.cost = UsageCost{0, 0, {evil}};
  const std::string html = HtmlReport(report);
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_THAT(html, Not(HasSubstr("\"x\"")));
  EXPECT_THAT(html, Not(HasSubstr("\x01")));
  EXPECT_GE(CountOf(html, "&lt;b&gt;&quot;x&quot; &amp; &#39;y&#39;"), 9u);
}

TEST(HtmlReport, VersionsStandSideBySide) {
  RunReport report = Report();
  report.runs.push_back(report.runs[0]);
  report.runs[1].name = "What if";
  report.runs[1].series.held = {16, 16, 16, 16};
  const std::string html = HtmlReport(report);
  EXPECT_EQ(CountOf(html, "<svg"), 8u);
  EXPECT_EQ(CountOf(html, "<th>What if</th>"), 2u) << "the figures, and those of the queues";
}

TEST(HtmlReport, TellsFragmentationWhereItIsKnown) {
  RunReport report = Report();
  report.runs.push_back(report.runs[0]);
  report.runs[1].figures.fragmentation = 0.1234;
  const std::string html = HtmlReport(report);
  const size_t at = html.find("fragmentation of free GPU time");
  ASSERT_NE(at, std::string::npos);
  const std::string row = html.substr(at, html.find("</tr>", at) - at);
  EXPECT_THAT(row, HasSubstr("–"));
  EXPECT_THAT(row, HasSubstr("12.3%"));
}

TEST(HtmlReport, ARunInWhichNothingHappenedIsDrawnToo) {
  RunReport report{"Nothing", {}, {}, "", ""};
  report.runs.push_back({"Played", {}, {}, {}});
  EXPECT_THAT(HtmlReport(report), HasSubstr("</html>"));
}

TEST(HtmlReport, MostJobsComeFirst) {
  const auto waits =
      WaitsOf({Life("a", 5), Life("b", 70), {"a", kBegin, {}, {}, 0, 0}, Life("b", 0)});
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].queue, "b");
  EXPECT_EQ(waits[0].seconds, (std::vector<double>{70, 0}));
  EXPECT_EQ(waits[1].seconds, (std::vector<double>{5}))
      << "a job that never started has not waited that time yet";
}

// Full, half, out of service, idle: a place for each but the last.
TEST(NodeStrip, ShowsHowFullAndWhetherAtAll) {
  const std::string svg = DrawNodeStrip("nodes", Series(1), 40, {560, 46});
  EXPECT_EQ(CountOf(svg, "<path class=\"shade s8\" d=\"M46 8H171v"), 1u) << svg;
  EXPECT_EQ(CountOf(svg, "<path class=\"shade s4\" d=\"M171 8H296v"), 1u) << svg;
  EXPECT_EQ(CountOf(svg, "<path class=\"out\" d=\"M296 8H421v"), 1u) << svg;
  EXPECT_EQ(CountOf(svg, "<path"), 3u);
}

TEST(NodeStrip, ManyNodesShareRows) {
  const std::string svg = DrawNodeStrip("nodes", Series(10'000), 40, {560, 46});
  EXPECT_LT(svg.size(), 50'000u);
  EXPECT_THAT(svg, HasSubstr("node-0 …"));
}

}  // namespace
}  // namespace gp
