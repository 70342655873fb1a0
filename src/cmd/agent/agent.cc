#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

#include "base/paths.h"
#include "base/text.h"
#include "cmd/agent/agent_settings.h"
#include "cmd/agent/live_agent.h"
#include "cmd/cli.h"
#include "cmd/connection/address_list.h"
#include "cmd/connection/state_place.h"
#include "cmd/daemon/console_log.h"
#include "cmd/daemon/process_limits.h"
#include "cmd/daemon/service_manager.h"
#include "cmd/daemon/signals.h"
#include "cmd/settings/settings_flags.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::string_view kControlSocket = "control.sock";

struct AgentFlags {
  SettingsSources settings;
  bool trust_user_log = false;
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

// The settings of all layers.
Result<AgentConfig> ReadAgentSettings(const AgentFlags& flags, OperatorLog& log) {
  AgentConfig config;
  config.trust_user_log = flags.trust_user_log;
  config.state_directory = DefaultStateDirectory() + "/agent";
  const SettingsRead read = ReadSettings(AgentProgram(config), flags.settings);
  if (!read.problems.empty()) return Fail(InvalidArgument(AsLines(read.problems)));
  for (const std::string& warning : read.warnings) log.Write(LogLevel::kWarning, warning);
  return config;
}

void RunAgent(const AgentFlags& flags, Cli& cli) {
  SetDaemonLimits();
  const StopSignals signals;
  const ServiceManager manager;
  ConsoleLog log(std::nullopt, cli.quiet);
  // A simulated node ends with the `serve` that started it.
  if (flags.with_parent) prctl(PR_SET_PDEATHSIG, SIGTERM);
  auto read = ReadAgentSettings(flags, log);
  if (!read) return cli.Complain(read.error());
  AgentConfig config = *std::move(read);
  if (!flags.with_parent && IsInTmp(config.state_directory))
    log.Write(LogLevel::kWarning, TmpWarning(config.state_directory));
  if (const Status listed = CheckControllers(config.controllers); !listed)
    return cli.Complain(listed.error().Within("--controller"));
  if (config.controllers.empty()) config.controllers = {DefaultRunDirectory()};
  for (std::string& address : config.controllers) {
    if (address.starts_with('/')) address = "unix:" + address + "/" + std::string(kControlSocket);
  }
  const auto token =
      ReadTextFile(config.join_token_file.empty() ? TokenFileOf(config.controllers.front())
                                                  : config.join_token_file);
  // A node that has its certificate joins and renews without the join token.
  if (!token && (config.authority.empty() || token.error().code != ErrorCode::kNotFound)) {
    const Status found = CheckSocket(config.controllers.front());
    return cli.Complain(found ? token.error().Within("--join-token-file") : found.error());
  }
  if (token) config.join_token = token->substr(0, token->find('\n'));
  LiveAgent agent(config, log);
  if (const Status started = agent.Start(); !started) return cli.Complain(started.error());
  log.Write(LogLevel::kInfo, "agent of node " + agent.name() + " runs");
  if (const Status said = manager.SayReady(); !said)
    log.Write(LogLevel::kWarning, said.error().message);
  signals.Wait();
  agent.Stop();
  ExitNow(cli.exit_code);
}

}  // namespace

void AddAgent(CLI::App& app, Cli& cli) {
  CLI::App* sub = app.add_subcommand(
      "agent", "Run the node agent, which runs the jobs that the controller assigns");
  const auto flags = std::make_shared<AgentFlags>();
  AgentConfig built_in;
  flags->settings.environment = SettingsEnvironment();
  AddSettingsFlags(*sub, AgentProgram(built_in), {flags, &flags->settings});
  sub->add_flag("--trust-user-log", flags->trust_user_log, "")->group("");
  sub->add_flag("--with-parent", flags->with_parent, "End when the parent process ends");
  sub->callback([flags, &cli] { RunAgent(*flags, cli); });
}

}  // namespace gp
