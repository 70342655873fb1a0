// gpu-platform: one binary, one tree of subcommands.

#include <absl/synchronization/mutex.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <string>
#include <vector>

#include "cmd/cli.h"
#include "cmd/suggest.h"

namespace {

int Run(int argc, char** argv) {
  CLI::App app(
      "GPU scheduler: fair-share queues, gang scheduling, topology-aware placement, isolated jobs.",
      "gpu-platform");
  app.require_subcommand(1);
  app.fallthrough();
  app.set_help_all_flag("--help-all", "Help of all subcommands");
  gp::Cli cli;
  cli.AddTo(app);
  gp::AddServe(app, cli);
  gp::AddAgent(app, cli);
  gp::AddRun(app, cli);
  gp::AddJobs(app, cli);
  gp::AddStatus(app, cli);
  gp::AddWatch(app, cli);
  gp::AddTopology(app, cli);
  gp::AddService(app, cli);
  gp::AddIncidents(app, cli);
  gp::AddMetrics(app, cli);
  gp::AddNodes(app, cli);
  gp::AddQueues(app, cli);
  gp::AddCosts(app, cli);
  gp::AddBudget(app, cli);
  gp::AddReservations(app, cli);
  gp::AddDefrag(app, cli);
  gp::AddAccess(app, cli);
  gp::AddLogin(app, cli);
  gp::AddDashboard(app, cli);
  gp::AddAudit(app, cli);
  gp::AddAdmin(app, cli);
  gp::AddNotify(app, cli);
  gp::AddSecrets(app, cli);
  gp::AddReplay(app, cli);
  gp::AddSimulate(app, cli);
  gp::AddBench(app, cli);
  gp::AddExplain(app, cli);
  gp::AddXid(app, cli);
  gp::AddConfig(app, cli);
  gp::AddFaults(app, cli);
  gp::AddDemo(app, cli);
  gp::AddDoctor(app, cli);
  gp::AddCapture(app, cli);
  gp::AddVersion(app, cli);
  gp::AddWatchGpu(app, cli);
  gp::AddGpuCare(app, cli);
  gp::AddMig(app, cli);
  gp::AddCompletion(app, cli);
  gp::AddCommands(app, cli);
  const std::vector<std::string> words = gp::WordsOf(argc, argv);
  cli.has_separator = std::ranges::find(words, "--") != words.end();
  if (const auto code = gp::RunCommand(app, words)) return *code;
  return cli.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  std::setlocale(LC_ALL, "");
  // Debian builds this library with its checks on: every lock that gRPC takes would search a graph.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const int code = Run(argc, argv);
  if (std::fflush(stdout) != 0) return 1;  // a redirection to a full disk is a failure
  return code;
}
