// gpu-platform: one binary, one tree of subcommands.

#include <absl/synchronization/mutex.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/cli.h"
#include "cmd/suggest.h"
#include "lib/protobuf/descriptors.h"

namespace {

// A function that adds commands to the tree, and the names of those commands at the root.
struct CommandGroup {
  void (*add)(CLI::App&, gp::Cli&);
  std::vector<std::string_view> names;
  bool uses_messages = true;  // protobuf's
};

// In the order of the help.
const std::vector<CommandGroup>& Groups() {
  static const std::vector<CommandGroup> groups = {
      {gp::AddServe, {"serve"}},
      {gp::AddAgent, {"agent"}},
      {gp::AddRun, {"run"}},
      {gp::AddJobs, {"jobs"}},
      {gp::AddStatus, {"status", "health", "gpus"}},
      {gp::AddWatch, {"watch"}},
      {gp::AddTopology, {"topology"}},
      {gp::AddService, {"drain", "offline", "reset", "online"}},
      {gp::AddIncidents, {"incidents"}},
      {gp::AddMetrics, {"metrics"}},
      {gp::AddNodes, {"nodes"}},
      {gp::AddQueues, {"queues", "pools", "quotas"}},
      {gp::AddCosts, {"usage", "cost"}},
      {gp::AddBudget, {"budget"}},
      {gp::AddReservations, {"reservations"}},
      {gp::AddDefrag, {"defrag"}},
      {gp::AddAccess, {"whoami", "roles", "tokens"}},
      {gp::AddLogin, {"login", "logout"}},
      {gp::AddDashboard, {"dashboard"}},
      {gp::AddAudit, {"audit"}},
      {gp::AddAdmin, {"admin"}},
      {gp::AddNotify, {"notify"}},
      {gp::AddSecrets, {"secrets"}},
      {gp::AddReplay, {"replay"}},
      {gp::AddSimulate, {"simulate"}},
      {gp::AddBench, {"bench"}},
      {gp::AddExplain, {"explain"}},
      {gp::AddXid, {"xid"}},
      {gp::AddConfig, {"config"}},
      {gp::AddInit, {"init"}},
      {gp::AddFaults, {"faults"}},
      {gp::AddDemo, {"demo"}},
      {gp::AddDoctor, {"doctor"}},
      {gp::AddCapture, {"capture"}},
      {gp::AddVersion, {"version"}, false},
      {gp::AddWatchGpu, {"__watch-gpu"}, false},
      {gp::AddGpuCare, {"__test-gpu", "__reset-simulated-gpu"}},
      {gp::AddMig, {"__mig"}},
      // These read the whole tree.
      {gp::AddCompletion, {}},
      {gp::AddCommands, {}},
  };
  return groups;
}

// The tree of commands; `only`: of one group.  Building all of it takes longer than most commands.
// It is never freed: the process ends with it.
CLI::App& MakeTree(gp::Cli& cli, const CommandGroup* only) {
  auto& app = *new CLI::App(
      "GPU scheduler: fair-share queues, gang scheduling, topology-aware placement, isolated jobs.",
      "gpu-platform");
  app.require_subcommand(1);
  app.fallthrough();
  app.set_help_all_flag("--help-all", "Help of all subcommands");
  cli.AddTo(app);
  for (const CommandGroup& group : Groups()) {
    if (only == nullptr || only == &group) group.add(app, cli);
  }
  return app;
}

// nullptr: the first word does not name a command.
const CommandGroup* GroupOf(const std::vector<std::string>& words) {
  if (words.empty()) return nullptr;
  const auto found = std::ranges::find_if(Groups(), [&](const CommandGroup& group) {
    return std::ranges::count(group.names, words.front()) > 0;
  });
  return found == Groups().end() ? nullptr : &*found;
}

int Run(int argc, char** argv) {
  gp::Cli cli;
  const std::vector<std::string> words = gp::WordsOf(argc, argv);
  cli.has_separator = std::ranges::find(words, "--") != words.end();
  const CommandGroup* const group = GroupOf(words);
  if (group == nullptr || group->uses_messages) gp::RegisterDescriptors();
  CLI::App& app = MakeTree(cli, group);
  const auto whole = [&cli]() -> const CLI::App& { return MakeTree(cli, nullptr); };
  if (const auto code = gp::RunCommand(app, words, whole)) return *code;
  return cli.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  std::setlocale(LC_CTYPE, "");  // for characters alone: messages are English
  // Debian builds this library with its checks on: every lock that gRPC takes would search a graph.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const int code = Run(argc, argv);
  if (std::fflush(stdout) != 0) return 1;  // a redirection to a full disk is a failure
  return code;
}
