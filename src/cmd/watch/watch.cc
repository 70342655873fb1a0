#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "adapters/wire/documents/document.h"
#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/text/cluster_text.h"
#include "cmd/watch/watch_app.h"
#include "cmd/watch/watch_calls.h"
#include "infrastructure/system_clock.h"
#include "infrastructure/table.h"
#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

volatile int stopped = 0;
void StopWatching(int) { stopped = 1; }

struct WatchFlags {
  std::string interval = "1s";
  bool once = false;
};

std::string OneLine(const nlohmann::ordered_json& document) { return ToLine(document) + "\n"; }

// {"at": …, "cluster": …, "jobs": […]}, or {"at": …, "error": …} if no controller answers.
std::string AsJson(const Result<WatchData>& data) {
  nlohmann::ordered_json document{{"at", ToRfc3339(SystemClock().Now(), true)}};
  if (!data) {
    document["error"] = data.error().message;
    return OneLine(document);
  }
  document["cluster"] = ToDocument(data->cluster);
  document["jobs"] = nlohmann::ordered_json::array();
  for (const v1::Job& job : data->jobs) document["jobs"].push_back(ToDocument(job));
  return OneLine(document);
}

std::string PlainView(WatchView view, const WatchData& data) {
  const WatchTable from = MakeView(view, data);
  if (from.rows.empty()) return from.empty + "\n";
  std::vector<Column> columns;
  for (const WatchColumn& column : from.columns) columns.push_back({column.title, column.right});
  Table table(columns);
  for (const WatchRow& row : from.rows) {
    Cells cells;
    for (const WatchCell& cell : row.cells) cells.push_back(cell.text);
    table.Add(std::move(cells));
  }
  return table.ToText();
}

std::string AsText(const WatchData& data) {
  const WatchTotals totals = Sum(data);
  std::string text = fmt::format("{}  {}\n{}\n", ToRfc3339(SystemClock().Now()),
                                 CountsText(totals, data), LoadText(totals, {}));
  for (const WatchView view : {WatchView::kGpus, WatchView::kJobs, WatchView::kQueue}) {
    text += "\n" + PlainView(view, data);
  }
  return ForLocale(text);
}

bool Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return std::fflush(stdout) == 0;
}

// For pipes, files and terminals without a full screen: one screen or object after the other.
void WatchPlainly(const std::string& place, Duration interval, bool once, Cli& cli) {
  const bool json = cli.WantsDocument();
  SystemClock clock;
  for (bool first = true; stopped == 0; first = false) {
    const int64_t began_ns = clock.BootNs();
    WatchLine line(place);
    const Result<WatchData> data = FetchWatchData(line);
    if (!data && once) return cli.Complain(data.error());
    std::string text = first || json ? "" : "\n";
    text += json   ? AsJson(data)
            : data ? AsText(*data)
                   : "! no answer: " + data.error().message + "\n";
    if (!Print(text) || once) return;
    const int64_t left_ms = (began_ns + interval.ns - clock.BootNs()) / 1'000'000;
    if (left_ms > 0) poll(nullptr, 0, static_cast<int>(left_ms));
  }
}

bool HasFullScreen() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0 && terminal != nullptr &&
         *terminal != '\0' && std::string(terminal) != "dumb";
}

void Watch(const WatchFlags& flags, Cli& cli) {
  const auto interval = ParseDuration(flags.interval);
  if (!interval) return cli.Complain(interval.error().Within("--interval"));
  if (*interval < Duration::Milliseconds(100) || *interval > Duration::Minutes(60)) {
    return cli.Complain(InvalidArgument("--interval: 100ms to 1h"));
  }
  std::signal(SIGTERM, StopWatching);
  std::signal(SIGINT, StopWatching);
  std::signal(SIGHUP, StopWatching);
  if (flags.once || cli.WantsDocument() || !HasFullScreen()) {
    return WatchPlainly(cli.server, *interval, flags.once, cli);
  }
  auto screen = WatchScreen::Open();
  if (!screen) return WatchPlainly(cli.server, *interval, false, cli);
  WatchFeed feed(cli.server, *interval);
  WatchCalls calls(cli.server);
  WatchApp(**screen, feed, calls, *interval).Run(stopped);
}

}  // namespace

void AddWatch(CLI::App& app, Cli& cli) {
  CLI::App* sub = app.add_subcommand(
      "watch", "Watch the cluster live, and act on it by keys: GPUs, jobs, queue and nodes");
  auto flags = std::make_shared<WatchFlags>();
  sub->add_option("--interval", flags->interval, "Refresh interval")
      ->type_name("DURATION")
      ->capture_default_str();
  sub->add_flag("--once", flags->once, "Print one screen and end");
  sub->callback([flags, &cli] { Watch(*flags, cli); });
}

}  // namespace gp
