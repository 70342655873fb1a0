// gpu-platform-experiments: published experiments with scheduling policies, and the cost of
// scheduling decisions.  It shares code with the product, which does not contain it.

#include <clocale>
#include <cstdio>

#include "cmd/usage/run_command.h"
#include "experiments/cmd/commands.h"

namespace {

int Run(int argc, char** argv) {
  CLI::App app(
      "Experiments with scheduling policies: packing, topology-aware placement, recorded jobs; "
      "the cost of scheduling decisions.",
      "gpu-platform-experiments");
  app.require_subcommand(1);
  app.fallthrough();
  app.set_help_all_flag("--help-all", "Help of all subcommands");
  gp::Output output;
  output.AddTo(app);
  gp::AddAgentsExperiment(app, output);
  gp::AddPackingExperiment(app, output);
  gp::AddTopologyExperiment(app, output);
  gp::AddTraceExperiment(app, output);
  gp::AddScheduleBenchmark(app, output);
  if (const auto code = gp::RunCommand(app, gp::WordsOf(argc, argv))) return *code;
  return output.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  std::setlocale(LC_CTYPE, "");
  const int code = Run(argc, argv);
  if (std::fflush(stdout) != 0) return 1;  // a redirection to a full disk is a failure
  return code;
}
