#include "cmd/simulate/simulate.h"

namespace gp {

void AddSimulate(CLI::App& app, Cli& cli) {
  CLI::App* simulate =
      app.add_subcommand("simulate", "Simulate recorded and invented workloads: scenario, world");
  simulate->require_subcommand(1);
  AddSimulateScenario(*simulate, cli);
  AddSimulateWorld(*simulate, cli);
}

}  // namespace gp
