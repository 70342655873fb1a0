#include "cmd/simulate/simulate.h"

namespace gp {

void AddSimulate(CLI::App& app, Cli& cli) {
  CLI::App* simulate = app.add_subcommand(
      "simulate",
      "Simulate recorded and invented workloads: packing, scenario, topology, trace, world");
  simulate->require_subcommand(1);
  AddSimulatePacking(*simulate, cli);
  AddSimulateScenario(*simulate, cli);
  AddSimulateTopology(*simulate, cli);
  AddSimulateTrace(*simulate, cli);
  AddSimulateWorld(*simulate, cli);
}

}  // namespace gp
