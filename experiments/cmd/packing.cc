// `gpu-platform-experiments packing`: tenants arrive one by one and never leave.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cmd/output.h"
#include "cmd/text/terminal_progress.h"
#include "experiments/cmd/commands.h"
#include "experiments/packing/packing_trace.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

struct PackingFlags {
  std::string nodes;
  std::string pods;
  std::string policy = "default";
  uint64_t seed = 42;
  int seeds = 1;
  std::string order = "random";
  bool learn = false;
};

nlohmann::ordered_json PackingDocument(const PackingResult& result, uint64_t seed) {
  return {{"seed", seed},
          {"allocated_pct_at_100", result.allocated_pct_at_100},
          {"decisions", result.arrived},
          {"placed", result.placed},
          {"decision_us", {{"p50", result.decision_us_p50}, {"p99", result.decision_us_p99}}},
          {"seconds", result.seconds}};
}

Result<const PackingPolicy*> PolicyNamed(const std::string& name) {
  if (const PackingPolicy* policy = FindPackingPolicy(name)) return policy;
  std::vector<std::string> names;
  for (const PackingPolicy& policy : PackingPolicies()) names.emplace_back(policy.name);
  return Fail(InvalidArgument("--policy: no policy \"" + Printable(name, 40) + "\"; there are " +
                              Join(names, ", ")));
}

Result<NodeOrder> OrderNamed(const std::string& name) {
  std::vector<std::string> names;
  for (const NamedOrder& one : NodeOrders()) {
    if (one.name == name) return one.order;
    names.emplace_back(one.name);
  }
  return Fail(InvalidArgument("--order: no order \"" + Printable(name, 40) + "\"; there are " +
                              Join(names, ", ")));
}

void SimulatePacking(const PackingFlags& flags, Output& output) {
  if (!output.Offers({"table", "csv"})) return;
  const auto policy = PolicyNamed(flags.policy);
  if (!policy) return output.Complain(policy.error());
  const auto order = OrderNamed(flags.order);
  if (!order) return output.Complain(order.error());
  const auto workload = ReadPackingWorkload(flags.nodes, flags.pods);
  if (!workload) return output.Complain(workload.error());
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  double sum = 0;
  Progress progress(ProgressOn(output));
  const DoneWatch show = ShowPart(progress);
  for (int i = 0; i < flags.seeds; ++i) {
    const uint64_t seed = flags.seed + static_cast<uint64_t>(i);
    const PackingResult result = RunPacking(*workload, **policy, {seed, *order, flags.learn},
                                            [&](double done) { show((i + done) / flags.seeds); });
    sum += result.allocated_pct_at_100;
    runs.push_back(PackingDocument(result, seed));
  }
  progress.Clear();
  if (flags.seeds == 1) {
    if (output.PrintDocument(runs.front())) return;
  } else if (output.PrintDocument(nlohmann::ordered_json{
                 {"allocated_pct_at_100", sum / flags.seeds}, {"runs", runs}})) {
    return;
  }
  Table table({{"POLICY"},
               {"SEED", true},
               {"ALLOCATED %", true},
               {"DECISIONS", true},
               {"PLACED", true},
               {"P50 µs", true},
               {"P99 µs", true}});
  for (const auto& run : runs) {
    table.Add({flags.policy, std::to_string(run["seed"].get<uint64_t>()),
               fmt::format("{:.2f}", run["allocated_pct_at_100"].get<double>()),
               std::to_string(run["decisions"].get<int64_t>()),
               std::to_string(run["placed"].get<int64_t>()),
               fmt::format("{:.1f}", run["decision_us"]["p50"].get<double>()),
               fmt::format("{:.1f}", run["decision_us"]["p99"].get<double>())});
  }
  output.PrintTable(table);
  if (flags.seeds > 1)
    output.Say(fmt::format("mean {:.2f} % over {} seeds", sum / flags.seeds, flags.seeds));
}

}  // namespace

void AddPackingExperiment(CLI::App& app, Output& output) {
  CLI::App* packing = app.add_subcommand(
      "packing",
      "Simulate GPU packing: tenants arrive one by one and never leave; how full do the GPUs get?");
  auto flags = std::make_shared<PackingFlags>();
  packing->add_option("--nodes", flags->nodes, "CSV of the nodes, plain or gzip")
      ->required()
      ->type_name("FILE");
  packing->add_option("--pods", flags->pods, "CSV of the tenants, plain or gzip")
      ->required()
      ->type_name("FILE");
  packing->add_option("--policy", flags->policy,
                      "random, dotprod, clustering, packing, bestfit, fgd or default");
  packing->add_option("--seed", flags->seed, "Seed of the order of nodes and tenants");
  packing->add_option("--seeds", flags->seeds, "Runs, each with the next seed")
      ->check(CLI::Range(1, 1'000));
  packing->add_option("--order", flags->order,
                      "Order of the nodes: random, file, or by gpus, model, cpus-per-gpu, "
                      "each also with -descending");
  packing->add_flag("--learn", flags->learn,
                    "Typical shapes from the tenants seen so far, not from the whole list");
  packing->callback([flags, &output] { SimulatePacking(*flags, output); });
}

}  // namespace gp
