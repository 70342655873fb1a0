#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/text.h"
#include "cmd/text/job_text.h"
#include "cmd/watch/watch_views.h"
#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

void Count(const v1::Gpu& gpu, WatchTotals& totals) {
  ++totals.gpus;
  if (gpu.state() >= v1::DEGRADED) {
    ++totals.broken;
  } else if (gpu.draining()) {
    ++totals.draining;
  } else if (gpu.state() == v1::AVAILABLE) {
    ++totals.available;
  } else {
    ++totals.in_use;
  }
}

std::string PowerText(int64_t watts) {
  return watts < 10'000 ? fmt::format("{} W", watts)
                        : fmt::format("{:.1f} kW", static_cast<double>(watts) / 1000);
}

}  // namespace

WatchTotals Sum(const WatchData& data) {
  WatchTotals totals;
  int telling = 0;
  double utilization = 0;
  double memory_used = 0;
  double memory = 0;
  for (const v1::Node& node : data.cluster.nodes()) {
    totals.nodes_lost += node.state() == "UP" ? 0 : 1;
    for (const v1::Gpu& gpu : node.gpus()) {
      Count(gpu, totals);
      const v1::GpuReadings& r = gpu.readings();
      if (r.has_utilization_percent()) {
        ++telling;
        utilization += r.utilization_percent() / 100.0;
      }
      if (r.has_memory_used_bytes()) {
        memory_used += static_cast<double>(r.memory_used_bytes());
        memory += static_cast<double>(gpu.memory_bytes());
      }
      if (r.has_power_watts())
        totals.power_watts = totals.power_watts.value_or(0) + r.power_watts();
    }
  }
  if (telling > 0) totals.utilization = utilization / telling;
  if (memory > 0) totals.memory = memory_used / memory;
  for (const v1::Job& job : data.jobs)
    ++(job.state() == v1::RUNNING ? totals.running : totals.waiting);
  return totals;
}

std::string CountsText(const WatchTotals& totals, const WatchData& data) {
  std::string text =
      fmt::format("GPUs {}  use {}  free {}", totals.gpus, totals.in_use, totals.available);
  if (totals.draining > 0) text += fmt::format("  drain {}", totals.draining);
  if (totals.broken > 0) text += fmt::format("  bad {}!", totals.broken);
  if (totals.nodes_lost > 0) text += fmt::format("  lost nodes {}!", totals.nodes_lost);
  text += fmt::format("  run {}  wait {}", totals.running, totals.waiting);
  if (data.cluster.has_oldest_wait_seconds()) {
    text += " (" + SpanText(std::floor(data.cluster.oldest_wait_seconds())) + ")";
  }
  return text;
}

std::string LoadText(const WatchTotals& totals, const std::deque<double>& utilizations) {
  const auto percent = [](const std::optional<double>& part) {
    return part ? fmt::format("{:.0f}%", *part * 100) : std::string("–");
  };
  std::string text = "util " + percent(totals.utilization) + "   memory " + percent(totals.memory);
  text += "   power " + (totals.power_watts ? PowerText(*totals.power_watts) : std::string("–"));
  text += "   ";  // what grows comes last, so that nothing moves
  for (const double value : utilizations) text += HeightText(value);
  return text;
}

}  // namespace gp
