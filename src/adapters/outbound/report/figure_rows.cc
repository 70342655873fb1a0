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

}  // namespace

std::vector<FigureRow> FigureRows(const std::vector<RunFigures>& runs) {
  using F = RunFigures;
  std::vector<FigureRow> rows;
  const auto add = [&](const std::string& name, const auto& value) {
    rows.push_back(Row(name, runs, value));
  };
  add("jobs", [](const F& f) { return std::to_string(f.jobs); });
  add("ended", [](const F& f) { return std::to_string(f.ended); });
  add("never started", [](const F& f) { return std::to_string(f.never_started); });
  add("preemptions", [](const F& f) { return std::to_string(f.preemptions); });
  add("attempts lost with a node", [](const F& f) { return std::to_string(f.faults); });
  add("mean wait", [](const F& f) { return Seconds(f.wait.mean_s); });
  add("median wait", [](const F& f) { return Seconds(f.wait.median_s); });
  add("p95 wait", [](const F& f) { return Seconds(f.wait.p95_s); });
  add("longest wait", [](const F& f) { return Seconds(f.wait.max_s); });
  add("mean turnaround", [](const F& f) { return Seconds(f.mean_turnaround_s); });
  add("first submit to last end", [](const F& f) { return Seconds(f.span_h * 3600); });
  add("GPU-hours held", [](const F& f) { return Hours(f.gpu_hours_held); });
  add("GPU-hours installed", [](const F& f) { return Hours(f.gpu_hours_installed); });
  add("GPU-hours idle while jobs waited",
      [](const F& f) { return Hours(f.gpu_hours_idle_while_waiting); });
  add("utilization", [](const F& f) { return fmt::format("{:.1f}%", 100 * f.utilization); });
  add("fragmentation of free GPU time", [](const F& f) {
    return f.fragmentation ? fmt::format("{:.1f}%", 100 * *f.fragmentation) : "–";
  });
  if (!std::ranges::any_of(runs, [](const F& f) { return f.cost.has_value(); })) return rows;
  add("cost of GPU-hours installed",
      [](const F& f) { return f.cost ? Amount(f.cost->installed) : "–"; });
  add("cost of GPU-hours held", [](const F& f) { return f.cost ? Amount(f.cost->held) : "–"; });
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
