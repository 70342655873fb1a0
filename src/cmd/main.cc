// gpu-platform: one binary, one tree of subcommands.

#include <absl/synchronization/mutex.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/cli.h"
#include "cmd/usage/run_command.h"
#include "lib/protobuf/descriptors.h"

namespace {

// A function that adds commands to the tree, and the names of those commands at the root.
struct CommandGroup {
  void (*add)(CLI::App&, gp::Cli&);
  std::vector<std::string_view> names;
  const char* heading;        // in the help; empty: hidden
  bool uses_messages = true;  // protobuf's
};

constexpr const char* kJobs = "Jobs";
constexpr const char* kCluster = "Cluster";
constexpr const char* kQueues = "Queues and accounting";
constexpr const char* kAccess = "Access";
constexpr const char* kServices = "Services and settings";
constexpr const char* kWhatIf = "Simulation and measurement";
constexpr const char* kHelp = "Help";
constexpr const char* kHidden = "";

// In the order of the help.
const std::vector<CommandGroup>& Groups() {
  static const std::vector<CommandGroup> groups = {
      {gp::AddRun, {"run"}, kJobs},
      {gp::AddJobs, {"jobs"}, kJobs},
      {gp::AddStatus, {"status", "health", "gpus"}, kCluster},
      {gp::AddWatch, {"watch"}, kCluster},
      {gp::AddTopology, {"topology"}, kCluster},
      {gp::AddService, {"drain", "offline", "reset", "online"}, kCluster},
      {gp::AddIncidents, {"incidents"}, kCluster},
      {gp::AddMetrics, {"metrics"}, kCluster},
      {gp::AddNodes, {"nodes"}, kCluster},
      {gp::AddImages, {"images"}, kCluster},
      {gp::AddQueues, {"queues", "pools", "quotas"}, kQueues},
      {gp::AddCosts, {"usage", "cost"}, kQueues},
      {gp::AddBudget, {"budget"}, kQueues},
      {gp::AddReservations, {"reservations"}, kQueues},
      {gp::AddDefrag, {"defrag"}, kQueues},
      {gp::AddAccess, {"whoami", "roles", "tokens"}, kAccess},
      {gp::AddLogin, {"login", "logout"}, kAccess},
      {gp::AddDashboard, {"dashboard"}, kAccess},
      {gp::AddAudit, {"audit"}, kAccess},
      {gp::AddServe, {"serve"}, kServices},
      {gp::AddAgent, {"agent"}, kServices},
      {gp::AddAdmin, {"admin"}, kServices},
      {gp::AddNotify, {"notify"}, kServices},
      {gp::AddSecrets, {"secrets"}, kAccess},
      {gp::AddReplay, {"replay"}, kWhatIf},
      {gp::AddSimulate, {"simulate"}, kWhatIf},
      {gp::AddBench, {"bench"}, kWhatIf},
      {gp::AddExplain, {"explain"}, kHelp},
      {gp::AddXid, {"xid"}, kHelp},
      {gp::AddConfig, {"config"}, kServices},
      {gp::AddInit, {"init"}, kServices},
      {gp::AddFaults, {"faults"}, kServices},
      {gp::AddDemo, {"demo"}, kWhatIf},
      {gp::AddDoctor, {"doctor"}, kServices},
      {gp::AddCapture, {"capture"}, kWhatIf},
      {gp::AddVersion, {"version"}, kHelp, false},
      {gp::AddWatchGpu, {"__watch-gpu"}, kHidden, false},
      {gp::AddGpuCare, {"__test-gpu", "__reset-simulated-gpu"}, kHidden},
      {gp::AddMig, {"__mig"}, kHidden},
      {gp::AddImage, {"__image"}, kHidden},
      {gp::AddTransfer, {"__transfer"}, kHidden, false},
      // These read the whole tree.
      {gp::AddCompletion, {}, kHelp},
      {gp::AddCommands, {}, kHidden},
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
  app.set_version_flag("--version", "gpu-platform " GP_VERSION, "Print the version and exit");
  cli.AddTo(app);
  for (const CommandGroup& group : Groups()) {
    if (only != nullptr && only != &group) continue;
    group.add(app, cli);
    for (const std::string_view name : group.names)
      app.get_subcommand(std::string(name))->group(group.heading);
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
