#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

#include "base/paths.h"
#include "base/text.h"
#include "cmd/agent/live_agent.h"
#include "cmd/cli.h"
#include "cmd/connection/state_place.h"
#include "cmd/daemon/console_log.h"
#include "cmd/daemon/process_limits.h"
#include "cmd/daemon/signals.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::string_view kControlSocket = "control.sock";

struct AgentFlags {
  AgentConfig config;
  std::string token_file;
  bool with_parent = false;
};

// Checks that a controller has run on this machine; it may be down now.
Status CheckSocket(const std::string& controller) {
  if (!controller.starts_with(kUnix)) return Ok();
  const std::string socket = controller.substr(kUnix.size());
  if (access(socket.c_str(), F_OK) == 0) return Ok();
  return Fail(NotFound("--controller: no controller has its sockets in " +
                       socket.substr(0, socket.rfind('/')) + " (gpu-platform serve starts one)"));
}

// The controller's own file, if the controller is on this machine.
std::string TokenFileOf(const std::string& controller) {
  const bool is_here = controller.starts_with(kUnix) && controller.ends_with(kControlSocket);
  const std::string run_directory =
      is_here ? controller.substr(kUnix.size(),
                                  controller.size() - kUnix.size() - kControlSocket.size() - 1)
              : "";
  const auto state =
      is_here && !run_directory.empty() ? StatePlace(run_directory) : DefaultStateDirectory();
  return state.value_or(DefaultStateDirectory()) + "/join-token";
}

void RunAgent(AgentFlags flags, Cli& cli) {
  SetDaemonLimits();
  const StopSignals signals;
  ConsoleLog log(std::nullopt, cli.quiet);
  // A simulated node ends with the `serve` that started it.
  if (flags.with_parent) prctl(PR_SET_PDEATHSIG, SIGTERM);
  AgentConfig& config = flags.config;
  if (config.state_directory.empty()) config.state_directory = DefaultStateDirectory() + "/agent";
  config.state_directory = AbsolutePath(config.state_directory);
  if (!flags.with_parent && IsInTmp(config.state_directory))
    log.Write(LogLevel::kWarning, TmpWarning(config.state_directory));
  if (config.controllers.empty()) config.controllers = {DefaultRunDirectory()};
  for (std::string& address : config.controllers) {
    if (address.starts_with('/')) address = "unix:" + address + "/" + std::string(kControlSocket);
  }
  if (flags.token_file.empty()) flags.token_file = TokenFileOf(config.controllers.front());
  const auto token = ReadTextFile(flags.token_file);
  // A node that has its certificate joins and renews without the join token.
  if (!token && (config.authority.empty() || token.error().code != ErrorCode::kNotFound)) {
    const Status found = CheckSocket(config.controllers.front());
    return cli.Complain(found ? token.error().Within("--join-token-file") : found.error());
  }
  if (token) config.join_token = token->substr(0, token->find('\n'));
  LiveAgent agent(config, log);
  if (const Status started = agent.Start(); !started) return cli.Complain(started.error());
  log.Write(LogLevel::kInfo, "agent of node " + agent.name() + " runs");
  signals.Wait();
  agent.Stop();
  ExitNow(cli.exit_code);
}

void AddControllerFlags(CLI::App& sub, AgentFlags& flags) {
  AgentConfig& config = flags.config;
  sub.add_option("--controller", config.controllers,
                 "Controller: unix:SOCKET, the directory of its sockets, or HOST:PORT; several "
                 "addresses, separated by commas, are probed together")
      ->type_name("ADDRESS[,ADDRESS…]")
      ->delimiter(',')
      ->allow_extra_args(false);
  sub.add_option("--join-token-file", flags.token_file, "File with the controller's join token")
      ->type_name("FILE");
  sub.add_option("--authority", config.authority,
                 "Authority of a controller on another machine: sha256:FINGERPRINT, printed by "
                 "the controller at startup, or a file with its certificate")
      ->type_name("AUTHORITY");
}

void AddSimulationFlags(CLI::App& sub, AgentConfig& config) {
  sub.add_option("--simulate", config.simulate,
                 "Simulate a machine with GPUs: a name (dgx-h100) or a machine file")
      ->type_name("MACHINE");
  sub.add_option("--node-index", config.node_index,
                 "Number of this simulated node on its host: 0, 1, 2 …")
      ->check(CLI::Range(0, 4095));
}

// How errors of GPUs are noticed, and GPUs are reset.
void AddGpuErrorFlags(CLI::App& sub, AgentConfig& config) {
  sub.add_option("--reset-command", config.reset_command,
                 "Program that resets a GPU, called as COMMAND --gpu-reset -i BUS-ID")
      ->type_name("FILE")
      ->capture_default_str();
  sub.add_option(
         "--kernel-log", config.kernel_log,
         "Kernel log with the driver's XIDs, or none; default: /dev/kmsg, none on a simulated node")
      ->type_name("FILE");
  sub.add_flag("--trust-user-log", config.trust_user_log, "")->group("");
}

// What else is checked on a GPU: the memory that jobs use of a shared one, and a test of the site.
void AddGpuCheckFlags(CLI::App& sub, AgentConfig& config) {
  sub.add_option("--gpu-memory-tolerance", config.gpu_memory_tolerance_mib,
                 "MiB of a shared GPU's memory that a job may use beyond its grant")
      ->type_name("MIB")
      ->check(CLI::Range(0, 1 << 24))
      ->capture_default_str();
  sub.add_option("--gpu-memory-readings", config.gpu_memory_readings,
                 "Stop the job after this many readings in a row beyond that")
      ->check(CLI::Range(1, 3'600))
      ->capture_default_str();
  sub.add_option("--gpu-test", config.gpu_test,
                 "Additional GPU test: a program called with the UUID; exit code 0: passed")
      ->type_name("FILE");
}

}  // namespace

void AddAgent(CLI::App& app, Cli& cli) {
  CLI::App* sub = app.add_subcommand(
      "agent", "Run the node agent, which runs the jobs that the controller assigns");
  auto flags = std::make_shared<AgentFlags>();
  AgentConfig& config = flags->config;
  AddControllerFlags(*sub, *flags);
  sub->add_option("--state", config.state_directory, "State directory, with attempts and logs")
      ->type_name("DIRECTORY");
  AddNodeFlags(*sub, config);
  AddSimulationFlags(*sub, config);
  AddGpuErrorFlags(*sub, config);
  AddGpuCheckFlags(*sub, config);
  sub->add_flag("--with-parent", flags->with_parent, "End when the parent process ends");
  sub->callback([flags, &cli] { RunAgent(*flags, cli); });
}

}  // namespace gp
