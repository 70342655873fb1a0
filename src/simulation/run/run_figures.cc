#include "simulation/run/run_figures.h"

#include <algorithm>
#include <numeric>

#include "base/percentile.h"
#include "base/units.h"

namespace gp {
namespace {

double Mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

WaitFigures Digest(const std::vector<double>& waits) {
  if (waits.empty()) return {};
  return {static_cast<int64_t>(waits.size()), Mean(waits), Percentile(waits, 50),
          Percentile(waits, 95), std::ranges::max(waits)};
}

}  // namespace

RunFigures FiguresOf(const std::vector<JobLife>& lives, const Usage& usage, const Prices& prices) {
  RunFigures figures;
  std::vector<double> waits;
  std::vector<double> turnarounds;
  std::map<std::string, std::vector<double>> by_queue;
  Instant first{INT64_MAX};
  Instant last{0};
  for (const JobLife& life : lives) {
    ++figures.jobs;
    figures.preemptions += life.preemptions;
    figures.faults += life.faults;
    first = std::min(first, life.submitted_at);
    if (life.started_at) {
      waits.push_back(SecondsOf(*life.started_at - life.submitted_at));
      by_queue[life.queue].push_back(waits.back());
    } else {
      ++figures.never_started;
    }
    if (!life.ended_at) continue;
    ++figures.ended;
    last = std::max(last, *life.ended_at);
    if (life.started_at) turnarounds.push_back(SecondsOf(*life.ended_at - life.submitted_at));
  }
  figures.wait = Digest(waits);
  for (const auto& [queue, values] : by_queue) figures.by_queue[queue] = Digest(values);
  figures.mean_turnaround_s = Mean(turnarounds);
  if (figures.ended > 0) figures.span_h = SecondsOf(last - first) / 3600;
  figures.gpu_hours_held = usage.held();
  figures.gpu_hours_installed = usage.installed();
  figures.gpu_hours_idle_while_waiting = usage.idle_while_waiting;
  if (usage.installed() > 0) figures.utilization = usage.held() / usage.installed();
  figures.fragmentation = usage.fragmentation();
  if (!prices.empty()) figures.cost = CostOf(usage, prices);
  return figures;
}

}  // namespace gp
