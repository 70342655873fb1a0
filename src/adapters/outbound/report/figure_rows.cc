#include "adapters/outbound/report/figure_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace gp {
namespace {

std::string Seconds(double seconds) {
  return ToText(Duration::Milliseconds(static_cast<int64_t>(seconds * 1e3 + 0.5)));
}
std::string Hours(double hours) { return fmt::format("{:.2f}", hours); }
std::string Amount(Wide micros) { return fmt::format("{:.2f}", ToAmount(micros)); }

template <typename Value>
FigureRow Row(const std::string& name, const std::vector<RunFigures>& runs, Value value) {
  FigureRow row{name};
  for (const RunFigures& run : runs) row.push_back(value(run));
  return row;
}

// A row of the table: its name, and the text of a run's cell.
struct Figure {
  const char* name;
  std::string (*text)(const RunFigures& run);
};

constexpr Figure kFigures[] = {
    {"jobs", [](const RunFigures& run) { return std::to_string(run.jobs); }},
    {"ended", [](const RunFigures& run) { return std::to_string(run.ended); }},
    {"never started", [](const RunFigures& run) { return std::to_string(run.never_started); }},
    {"preemptions", [](const RunFigures& run) { return std::to_string(run.preemptions); }},
    {"attempts lost with a node", [](const RunFigures& run) { return std::to_string(run.faults); }},
    {"mean wait", [](const RunFigures& run) { return Seconds(run.wait.mean_s); }},
    {"median wait", [](const RunFigures& run) { return Seconds(run.wait.median_s); }},
    {"p95 wait", [](const RunFigures& run) { return Seconds(run.wait.p95_s); }},
    {"longest wait", [](const RunFigures& run) { return Seconds(run.wait.max_s); }},
    {"mean turnaround", [](const RunFigures& run) { return Seconds(run.mean_turnaround_s); }},
    {"first submit to last end", [](const RunFigures& run) { return Seconds(run.span_h * 3600); }},
    {"GPU-hours held", [](const RunFigures& run) { return Hours(run.gpu_hours_held); }},
    {"GPU-hours installed", [](const RunFigures& run) { return Hours(run.gpu_hours_installed); }},
    {"GPU-hours idle while jobs waited",
     [](const RunFigures& run) { return Hours(run.gpu_hours_idle_while_waiting); }},
    {"utilization",
     [](const RunFigures& run) { return fmt::format("{:.1f}%", 100 * run.utilization); }},
    {"fragmentation of free GPU time",
     [](const RunFigures& run) {
       return run.fragmentation ? fmt::format("{:.1f}%", 100 * *run.fragmentation) : "–";
     }},
};

// Shown where any run has prices.
constexpr Figure kCostFigures[] = {
    {"cost of GPU-hours installed",
     [](const RunFigures& run) { return run.cost ? Amount(run.cost->installed) : "–"; }},
    {"cost of GPU-hours held",
     [](const RunFigures& run) { return run.cost ? Amount(run.cost->held) : "–"; }},
};

}  // namespace

std::vector<FigureRow> FigureRows(const std::vector<RunFigures>& runs) {
  std::vector<FigureRow> rows;
  for (const Figure& figure : kFigures) rows.push_back(Row(figure.name, runs, figure.text));
  if (!std::ranges::any_of(runs, [](const RunFigures& run) { return run.cost.has_value(); }))
    return rows;
  for (const Figure& figure : kCostFigures) rows.push_back(Row(figure.name, runs, figure.text));
  return rows;
}

std::vector<FigureRow> QueueRows(const std::vector<RunFigures>& runs) {
  std::set<std::string> queues;
  for (const RunFigures& run : runs) {
    for (const auto& [queue, wait] : run.by_queue) queues.insert(queue);
  }
  std::vector<FigureRow> rows;
  for (const std::string& queue : queues) {
    rows.push_back(Row(queue, runs, [&](const RunFigures& run) {
      const auto found = run.by_queue.find(queue);
      if (found == run.by_queue.end()) return std::string("–");
      const WaitFigures& wait = found->second;
      return fmt::format("mean {}, p95 {}", Seconds(wait.mean_s), Seconds(wait.p95_s));
    }));
  }
  return rows;
}

std::vector<std::string> ModelsWithoutPrice(const std::vector<RunFigures>& runs) {
  std::set<std::string> models;
  for (const RunFigures& run : runs) {
    if (run.cost)
      models.insert(run.cost->models_without_price.begin(), run.cost->models_without_price.end());
  }
  return {models.begin(), models.end()};
}

}  // namespace gp
