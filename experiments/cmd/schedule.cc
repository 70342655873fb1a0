// `gpu-platform-experiments schedule`: the production planner on a large cluster that exists in
// memory only.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/cmd/commands.h"
#include "experiments/scale/scale_experiment.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

nlohmann::ordered_json ScaleDocument(const ScaleResult::Times& times) {
  return {
      {"p50", times.p50_us}, {"p99", times.p99_us}, {"max", times.max_us}, {"count", times.count}};
}

nlohmann::ordered_json ScaleDocument(const ScaleOptions& options, const ScaleResult& result) {
  nlohmann::ordered_json document{{"nodes", options.nodes},
                                  {"gpus_per_node", options.gpus_per_node},
                                  {"seed", options.seed},
                                  {"gpus_used_percent", result.gpus_used_percent},
                                  {"decision_us", ScaleDocument(result.decision)},
                                  {"placements_per_s", result.placements_per_s},
                                  {"refusal_us", result.refusal_us},
                                  {"gang512_ms", result.gang512_ms},
                                  {"preempt64_ms", result.preempt64_ms},
                                  {"explain_ms", result.explain_ms},
                                  {"present_ms", result.present_ms},
                                  {"forecast_ms", result.forecast_ms},
                                  {"queued", options.queued},
                                  {"queued_pass_ms", result.queued_pass_ms},
                                  {"node_classes", result.classes},
                                  {"rss_mib", result.rss_mib}};
  for (const auto& [name, times] : result.by_class)
    document["decision_us_by_class"][name] = ScaleDocument(times);
  return document;
}

void BenchSchedule(const ScaleOptions& options, Output& output) {
  if (!output.Offers({"table", "csv"})) return;
  const ScaleResult result = RunScale(options);
  if (output.PrintDocument(ScaleDocument(options, result))) return;
  Table table(
      {{"JOBS"}, {"DECISIONS", true}, {"P50 µs", true}, {"P99 µs", true}, {"MAX µs", true}});
  const auto add = [&table](const std::string& name, const ScaleResult::Times& times) {
    table.Add({name, std::to_string(times.count), fmt::format("{:.1f}", times.p50_us),
               fmt::format("{:.1f}", times.p99_us), fmt::format("{:.1f}", times.max_us)});
  };
  add("all", result.decision);
  for (const auto& [name, times] : result.by_class) add(name, times);
  output.PrintTable(table);
  output.Say(fmt::format(
      "{:.0f} placements/s on one thread; 512 GPUs at once: placed in {:.2f} ms, refused with the "
      "reason in "
      "{:.0f} µs; 64 GPUs by preemption: {:.1f} ms; explained in {:.1f} ms; state copied for a "
      "forecast in {:.1f} ms, start forecast in {:.0f} ms; {} MiB",
      result.placements_per_s, result.gang512_ms, result.refusal_us, result.preempt64_ms,
      result.explain_ms, result.present_ms, result.forecast_ms, result.rss_mib));
}

}  // namespace

void AddScheduleBenchmark(CLI::App& app, Output& output) {
  CLI::App* schedule = app.add_subcommand(
      "schedule", "Measure scheduling decisions on a cluster of any size, in memory");
  auto options = std::make_shared<ScaleOptions>();
  schedule->add_option("--nodes", options->nodes, "Nodes")->check(CLI::Range(1, 100'000));
  schedule->add_option("--gpus-per-node", options->gpus_per_node, "GPUs of each node")
      ->check(CLI::Range(1, 16));
  schedule->add_option("--decisions", options->decisions, "Decisions that are timed")
      ->check(CLI::Range(1, 10'000'000));
  schedule->add_option("--fill", options->fill_percent, "GPUs in use meanwhile, in percent")
      ->check(CLI::Range(1, 99));
  schedule->add_option("--queued", options->queued, "Pending jobs at the end")
      ->check(CLI::Range(0, 10'000'000));
  schedule->add_option("--shapes", options->shapes, "Different shapes of the pending jobs")
      ->check(CLI::Range(1, 1'000'000));
  schedule->add_flag("--with-image", options->with_image,
                     "The jobs that are timed have an image, which every second node has");
  schedule->add_option("--seed", options->seed, "Seed of the jobs");
  schedule->callback([options, &output] { BenchSchedule(*options, output); });
}

}  // namespace gp
