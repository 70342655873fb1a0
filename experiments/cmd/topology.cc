// `gpu-platform-experiments topology`: what topology-aware placement gains over other policies.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cmd/output.h"
#include "cmd/simulate/machine_facts.h"
#include "cmd/text/terminal_progress.h"
#include "experiments/cmd/commands.h"
#include "experiments/topology/experiment.h"
#include "infrastructure/paths.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

struct TopologyFlags {
  std::string machine = "all";
  std::string policy = "all";
  int seeds = 1;
  TopologyDemand demand;
};

Result<TopologyMachine> MachineNamed(const std::string& name) {
  NamedMachine named = GP_TRY(ReadMachine(name));
  TopologyMachine machine{named.facts.name, nullptr, {}};
  for (const GpuBuses& buses : named.file.buses)
    machine.wires.push_back({buses.pcie_generation, buses.pcie_width, buses.nvlink_version});
  machine.facts = std::make_shared<const NodeFacts>(std::move(named.facts));
  return machine;
}

// Of the shipped machines, those where placement has a choice.
Result<std::vector<TopologyMachine>> MachinesNamed(const std::string& name) {
  std::vector<TopologyMachine> machines;
  const bool all = name == "all";
  for (const std::string& one : all ? MachineNames() : std::vector<std::string>{name}) {
    TopologyMachine machine = GP_TRY(MachineNamed(one));
    if (machine.facts->gpus.size() >= 2) {
      machines.push_back(std::move(machine));
    } else if (!all) {
      return Fail(InvalidArgument("--machine: " + Printable(name, 60) +
                                  " has fewer than two GPUs: nothing to choose"));
    }
  }
  return machines;
}

Result<std::vector<const NamedTopologyPolicy*>> PoliciesNamed(const std::string& name) {
  std::vector<const NamedTopologyPolicy*> policies;
  std::vector<std::string> names{"all"};
  for (const NamedTopologyPolicy& policy : TopologyPolicies()) {
    if (name == "all" || name == policy.name) policies.push_back(&policy);
    names.emplace_back(policy.name);
  }
  if (!policies.empty()) return policies;
  return Fail(InvalidArgument("--policy: no policy \"" + Printable(name, 40) + "\"; there are " +
                              Join(names, ", ")));
}

nlohmann::ordered_json TopologyDocument(const TopologyResult::Pairs& pairs) {
  return {{"ranks", pairs.ranks},
          {"mean_pair_gb_s", pairs.mean_gb_s},
          {"worst_pair_gb_s", pairs.worst_gb_s}};
}

nlohmann::ordered_json TopologyDocument(const TopologyResult& result) {
  nlohmann::ordered_json document = TopologyDocument(result.pairs);
  for (const auto& [gpus, pairs] : result.by_gpus)
    document["by_gpus"][std::to_string(gpus)] = TopologyDocument(pairs);
  document.update({{"near_numa_pct", result.near_numa_pct},
                   {"near_socket_pct", result.near_socket_pct},
                   {"served_numa_pct", result.served_numa_pct},
                   {"served_socket_pct", result.served_socket_pct},
                   {"jobs", result.jobs},
                   {"mean_wait_s", result.mean_wait_s},
                   {"p95_wait_s", result.p95_wait_s},
                   {"used_pct", result.used_pct}});
  return document;
}

// One row: the means over the seeds.
Cells ToRow(const std::string& machine, const std::string& policy,
            const std::vector<TopologyResult>& results) {
  const auto mean = [&results](auto read) {
    double sum = 0;
    for (const TopologyResult& result : results) sum += read(result);
    return fmt::format("{:.1f}", sum / static_cast<double>(results.size()));
  };
  using R = const TopologyResult&;
  return {machine,
          policy,
          mean([](R r) { return r.pairs.mean_gb_s; }),
          mean([](R r) { return r.pairs.worst_gb_s; }),
          mean([](R r) { return r.near_numa_pct; }),
          mean([](R r) { return r.near_socket_pct; }),
          mean([](R r) { return r.served_numa_pct; }),
          mean([](R r) { return r.served_socket_pct; }),
          mean([](R r) { return r.mean_wait_s / 60; }),
          mean([](R r) { return r.p95_wait_s / 60; }),
          mean([](R r) { return r.used_pct; })};
}

void SimulateTopology(const TopologyFlags& flags, Output& output) {
  if (!output.Offers({"table", "csv"})) return;
  const auto policies = PoliciesNamed(flags.policy);
  if (!policies) return output.Complain(policies.error());
  const auto machines = MachinesNamed(flags.machine);
  if (!machines) return output.Complain(machines.error());
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  Progress progress(ProgressOn(output));
  Table table({{"MACHINE"},
               {"POLICY"},
               {"PAIR GB/s", true},
               {"WORST GB/s", true},
               {"NEAR NUMA %", true},
               {"NEAR SOCKET %", true},
               {"SERVED NUMA %", true},
               {"SERVED SOCKET %", true},
               {"WAIT min", true},
               {"P95 min", true},
               {"USED %", true}});
  for (const TopologyMachine& machine : *machines) {
    const auto bandwidth = BandwidthTable::Of(machine);
    if (!bandwidth) return output.Complain(bandwidth.error());
    for (const NamedTopologyPolicy* policy : *policies) {
      progress.Begin(machine.name + ", " + std::string(policy->name));
      std::vector<TopologyResult> results;
      const DoneWatch show = [&](double done) {
        ShowPart(progress)((static_cast<double>(results.size()) + done) / flags.seeds);
      };
      TopologyDemand demand = flags.demand;
      for (int i = 0; i < flags.seeds; ++i, ++demand.seed) {
        results.push_back(RunTopology(machine, *bandwidth, *policy, demand, show));
        runs.push_back(
            {{"machine", machine.name}, {"policy", policy->name}, {"seed", demand.seed}});
        runs.back().update(TopologyDocument(results.back()));
      }
      table.Add(ToRow(machine.name, std::string(policy->name), results));
    }
  }
  progress.Clear();
  if (output.PrintDocument(runs)) return;
  output.PrintTable(table);
  output.Say(
      "bandwidths come from a model, not from measurements: docs/reference/topology_policies.md");
}

}  // namespace

void AddTopologyExperiment(CLI::App& app, Output& output) {
  CLI::App* topology = app.add_subcommand("topology",
                                          "Simulate topology-aware placement: how near are "
                                          "the GPUs and cores of mixed jobs to each other?");
  auto flags = std::make_shared<TopologyFlags>();
  topology->add_option(
      "--machine", flags->machine,
      "A machine by name, a machine file, or all that are shipped and have several GPUs");
  topology->add_option("--policy", flags->policy, "default, socket, firstfit, random or all");
  topology->add_option("--nodes", flags->demand.nodes, "Nodes of that machine")
      ->check(CLI::Range(2, 1'000));
  topology->add_option("--jobs", flags->demand.jobs, "Jobs that arrive")
      ->check(CLI::Range(1, 1'000'000));
  topology
      ->add_option("--load", flags->demand.load_percent,
                   "GPU time that they request, in percent of the capacity")
      ->check(CLI::Range(1, 100));
  topology->add_option("--seed", flags->demand.seed, "Seed of the jobs");
  topology
      ->add_option("--seeds", flags->seeds,
                   "Runs, each with the next seed; the table shows their means")
      ->check(CLI::Range(1, 1'000));
  topology->callback([flags, &output] { SimulateTopology(*flags, output); });
}

}  // namespace gp
