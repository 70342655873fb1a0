// `gpu-platform-experiments trace`: recorded jobs in virtual time.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "adapters/inbound/trace/job_trace.h"
#include "base/text.h"
#include "cmd/output.h"
#include "cmd/text/terminal_progress.h"
#include "experiments/cmd/commands.h"
#include "experiments/trace/trace_policies.h"
#include "infrastructure/system_clock.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

constexpr int64_t kNodesMax = 100'000;
constexpr int64_t kGpusPerNodeMax = 64;

struct TraceFlags {
  std::string jobs;
  std::string cluster = "80x8";
  std::vector<std::string> policies;
};

Result<TraceCluster> ParseCluster(const std::string& text) {
  const std::vector<std::string> parts = Split(text, 'x');
  const auto number = [&](size_t at, int64_t max) {
    if (parts.size() != 2) return 0;
    const auto count = ParseCount(parts[at]);
    return count && *count >= 1 && *count <= max ? static_cast<int>(*count) : 0;
  };
  const TraceCluster cluster{number(0, kNodesMax), number(1, kGpusPerNodeMax)};
  if (cluster.gpus() > 0) return cluster;
  return Fail(
      InvalidArgument("--cluster: \"" + Printable(text, 40) +
                      "\" is not NODESxGPUS such as 80x8 (at most 100,000 nodes of 64 GPUs)"));
}

Result<const TracePolicy*> TracePolicyNamed(const std::string& name) {
  if (const TracePolicy* policy = FindTracePolicy(name)) return policy;
  std::vector<std::string> names;
  for (const TracePolicy& policy : TracePolicies()) names.emplace_back(policy.name);
  return Fail(InvalidArgument("--policy: no policy \"" + Printable(name, 40) + "\"; there are " +
                              Join(names, ", ")));
}

// A gang that no cluster of this size could hold would wait forever.
Status CheckGangs(const TraceWorkload& workload, const TraceCluster& cluster,
                  const std::string& path) {
  for (size_t row = 0; row < workload.jobs.size(); ++row) {
    if (workload.jobs[row].gpus <= cluster.gpus()) continue;
    return Fail(InvalidArgument(
        fmt::format("{}: row {}: a job of {} GPUs cannot run on {} of them: enlarge --cluster",
                    path, row + 1, workload.jobs[row].gpus, cluster.gpus())));
  }
  return Ok();
}

nlohmann::ordered_json TraceDocument(const std::string& policy, const TraceResult& result,
                                     double seconds) {
  return {{"policy", policy},
          {"jobs", result.jobs},
          {"mean_jct_h", result.mean_jct_h},
          {"median_jct_s", result.median_jct_s},
          {"p99_jct_h", result.p99_jct_h},
          {"mean_wait_h", result.mean_wait_h},
          {"p99_wait_h", result.p99_wait_h},
          {"max_wait_h", result.max_wait_h},
          {"preemptions", result.preemptions},
          {"utilization", result.utilization},
          {"seconds", seconds}};
}

void SimulateTrace(const TraceFlags& flags, Output& output) {
  if (!output.Offers({"table", "csv"})) return;
  const auto cluster = ParseCluster(flags.cluster);
  if (!cluster) return output.Complain(cluster.error());
  std::vector<const TracePolicy*> policies;
  for (const std::string& name : flags.policies) {
    const auto policy = TracePolicyNamed(name);
    if (!policy) return output.Complain(policy.error());
    policies.push_back(*policy);
  }
  const auto workload = ReadTraceWorkload(flags.jobs);
  if (!workload) return output.Complain(workload.error());
  if (const Status fits = CheckGangs(*workload, *cluster, flags.jobs); !fits)
    return output.Complain(fits.error());
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  Table table({{"POLICY"},
               {"MEAN JCT h", true},
               {"MEDIAN JCT s", true},
               {"MEAN WAIT h", true},
               {"P99 WAIT h", true},
               {"MAX WAIT h", true},
               {"PREEMPTIONS", true},
               {"UTILIZATION", true}});
  SystemClock clock;
  Progress progress(ProgressOn(output));
  const Duration span = Duration::Seconds(workload->jobs.back().submit_s);
  for (const TracePolicy* policy : policies) {
    progress.Begin(std::string(policy->name));
    const int64_t begin_ns = clock.BootNs();
    const TraceResult result = policy->replay(*workload, *cluster, ShowDays(progress, span));
    runs.push_back(TraceDocument(std::string(policy->name), result,
                                 static_cast<double>(clock.BootNs() - begin_ns) / 1e9));
    table.Add({std::string(policy->name), fmt::format("{:.2f}", result.mean_jct_h),
               fmt::format("{:.0f}", result.median_jct_s),
               fmt::format("{:.2f}", result.mean_wait_h), fmt::format("{:.1f}", result.p99_wait_h),
               fmt::format("{:.1f}", result.max_wait_h), std::to_string(result.preemptions),
               fmt::format("{:.1f} %", result.utilization * 100)});
  }
  progress.Clear();
  if (output.PrintDocument(runs)) return;
  output.PrintTable(table);
}

}  // namespace

void AddTraceExperiment(CLI::App& app, Output& output) {
  CLI::App* trace = app.add_subcommand(
      "trace", "Simulate a recorded job trace in virtual time: how long do jobs wait?");
  auto flags = std::make_shared<TraceFlags>();
  trace->add_option("--jobs", flags->jobs, "CSV of the jobs, plain or gzip")
      ->required()
      ->type_name("FILE");
  trace->add_option("--cluster", flags->cluster, "Nodes and GPUs of each, such as 80x8")
      ->type_name("NODESxGPUS");
  trace
      ->add_option("--policy", flags->policies,
                   "fifo, skip, easy, sjf, las, srtf or default; several to compare")
      ->delimiter(',')
      ->default_val("default");
  trace->callback([flags, &output] { SimulateTrace(*flags, output); });
}

}  // namespace gp
