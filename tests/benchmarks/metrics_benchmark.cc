// What a scrape of /metrics costs: 1,000 GPUs that are all in use and all read, fifty queues.

#include <benchmark/benchmark.h>

#include <sstream>
#include <string>

#include "adapters/inbound/metrics/controller_metrics.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr int kNodes = 125;
constexpr int kQueues = 50;

v1::GpuReadings Read() {
  v1::GpuReadings seen;
  seen.set_temperature_celsius(61);
  seen.set_power_watts(640);
  seen.set_power_limit_watts(700);
  seen.set_utilization_percent(97);
  seen.set_memory_used_bytes(int64_t{70} << 30);
  seen.set_ecc_corrected(2);
  seen.set_ecc_uncorrected(0);
  seen.set_row_remap_pending(false);
  seen.set_row_remap_failed(false);
  seen.set_nvlinks_active(18);
  seen.set_nvlinks_total(18);
  seen.add_throttle_reasons("power");
  return seen;
}

struct Fleet {
  TestCluster cluster;
  ControllerMetrics metrics;

  Fleet() {
    for (int i = 0; i < kNodes; ++i)
      cluster.AddNode(
          TestCluster::MakeFacts("node-" + std::to_string(i), {0, 0, 0, 0, 1, 1, 1, 1}));
    for (int i = 0; i < kQueues; ++i) Do(SetQueue{.name = "team-" + std::to_string(i)});
    JobSpec spec;
    spec.program.command = {"train"};
    spec.resources.gpus.count = 8;
    for (int i = 0; i < kNodes; ++i)
      Do(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}});
    metrics.OnCommit(cluster.state(), {.events = cluster.Pass()});
  }
  void Do(const Command& command) {
    const auto events = cluster.Execute(command);
    if (!events) std::abort();
    metrics.OnCommit(cluster.state(), {.events = *events});
  }
  std::string Text(const char* names) const {
    const auto readings_of = [&](NodeId node) {
      std::map<std::string, v1::GpuReadings> readings;
      for (const GpuFacts& gpu : cluster.state().FindNode(node)->facts->gpus)
        readings[gpu.uuid] = Read();
      return readings;
    };
    return MetricsText(metrics.Look(cluster.state(), cluster.now()), readings_of, names).value();
  }
};

int64_t SeriesIn(const std::string& text) {
  std::istringstream lines(text);
  int64_t series = 0;
  for (std::string line; std::getline(lines, line);) series += line.starts_with('#') ? 0 : 1;
  return series;
}

// The part that the writer waits for.
void BM_Look(benchmark::State& state) {
  const Fleet fleet;
  for (auto _ : state)
    benchmark::DoNotOptimize(fleet.metrics.Look(fleet.cluster.state(), fleet.cluster.now()));
}
BENCHMARK(BM_Look)->Unit(benchmark::kMillisecond);

void BM_Text(benchmark::State& state, const char* names) {
  const Fleet fleet;
  std::string text;
  for (auto _ : state) text = fleet.Text(names);
  state.counters["series"] = static_cast<double>(SeriesIn(text));
  state.counters["bytes"] = static_cast<double>(text.size());
}
BENCHMARK_CAPTURE(BM_Text, own, "")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Text, dcgm, "dcgm")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gp
