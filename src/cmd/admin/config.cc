// The settings of a controller or an agent: in force with its files, valid or not; and those of the
// running controller.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "cmd/agent/agent_settings.h"
#include "cmd/cli.h"
#include "cmd/serve/controller_settings.h"
#include "cmd/serve/policy_text.h"
#include "cmd/serve/policy_with.h"
#include "cmd/settings/settings_text.h"
#include "gpu_platform/v1/settings.pb.h"
#include "infrastructure/paths.h"
#include "lib/yaml/check_text.h"

namespace gp {
namespace {

struct ShowFlags {
  std::string file;    // empty: at the usual place
  std::string policy;  // a policy file alone
  bool of_agent = false;
  bool origins = false;
};

SettingsSources SourcesOf(const std::string& file, const std::string& program) {
  SettingsSources sources;
  sources.file = file.empty() ? DefaultSettingsFile(program) : AbsolutePath(file);
  sources.file_may_lack = file.empty();
  return sources;
}

// Prints the problems as a compiler does.  True: there are some.
bool Refused(const SettingsRead& read, Cli& cli) {
  if (read.problems.empty()) return false;
  std::fputs(RenderDiagnostics(read.problems, "nothing changed").c_str(), stderr);
  cli.exit_code = kExitUsage;
  return true;
}

void ShowAgent(const ShowFlags& flags, Cli& cli) {
  AgentConfig config;
  config.state_directory = DefaultStateDirectory() + "/agent";
  const SettingsProgram program = AgentProgram(config);
  SettingsSources sources = SourcesOf(flags.file, program.name);
  sources.environment = SettingsEnvironment();
  const SettingsRead read = ReadSettings(program, sources);
  if (Refused(read, cli) || cli.PrintDocument(SettingsDocument(read))) return;
  std::fputs(SettingsText(program, read, flags.origins).c_str(), stdout);
}

// Receivers may have secrets in their addresses: only their names are shown.
std::string NotifyText(const ControllerConfig& config) {
  if (!config.notify) return "";
  std::string text = "\n# Notification receivers:";
  for (const Receiver& receiver : config.notify->receivers) text += " " + receiver.name;
  return text + "\n";
}

void ShowController(const ShowFlags& flags, Cli& cli) {
  ControllerReading reading;
  SettingsSources sources = SourcesOf(flags.file, "controller");
  sources.environment = SettingsEnvironment();
  ReadControllerSettings(sources, reading);
  if (Refused(reading.read, cli)) return;
  const Policy& policy = reading.config.policy;
  auto document = SettingsDocument(reading.read);
  document["policy"] = PolicyDocument(reading.config.policy_file, policy);
  if (cli.PrintDocument(document)) return;
  const SettingsProgram program = ControllerProgram(reading.config);
  std::string text = SettingsText(program, reading.read, flags.origins);
  text +=
      SectionText(program.sections.front(), reading.read, PolicyKeysText(policy), flags.origins);
  text += NotifyText(reading.config);
  std::fputs(text.c_str(), stdout);
}

void ShowPolicyFile(const std::string& file, Cli& cli) {
  const auto policy = PolicyWith(file);
  if (!policy) return cli.Complain(policy.error());
  nlohmann::ordered_json document = SettingsDocument({.files = {file}});
  document["policy"] = PolicyDocument(file, *policy);
  if (cli.PrintDocument(document)) return;
  std::fputs(PolicyFileText(file, *policy).c_str(), stdout);
}

void Show(const ShowFlags& flags, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  if (!flags.policy.empty()) return ShowPolicyFile(flags.policy, cli);
  flags.of_agent ? ShowAgent(flags, cli) : ShowController(flags, cli);
}

void ShowRunning(Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto settings = (*client)->Call<v1::Settings>("GetSettings", v1::GetSettingsRequest());
  if (!settings) return cli.Complain(settings.error());
  if (cli.PrintDocument(*settings)) return;
  std::fputs(settings->policy().c_str(), stdout);
  fmt::print("\n# Version {}, since {}.\n", settings->version(), settings->started_at());
  for (const v1::SettingInForce& one : settings->values()) {
    if (one.origin() != kBuiltIn)
      fmt::print("# {}: {}  ({})\n", one.key(), one.value(), one.origin());
  }
  for (const v1::Receiver& receiver : settings->receivers()) {
    fmt::print("# Notifies {}{}: {} {}, {} waiting{}\n", receiver.name(),
               receiver.jobs_may_name() ? " (jobs may name it)" : "", receiver.way(), receiver.to(),
               receiver.waiting(), receiver.problem().empty() ? "" : "; " + receiver.problem());
  }
}

void Reload(Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto reply =
      (*client)->Call<v1::ReloadConfigReply>("ReloadConfig", v1::ReloadConfigRequest());
  if (!reply) return cli.Complain(reply.error());
  if (cli.PrintDocument(*reply)) return;
  for (const std::string& change : reply->changes()) fmt::print("{}\n", change);
  for (const std::string& change : reply->needs_restart())
    fmt::print("{}  (needs a restart of the controller)\n", change);
  if (reply->changes().empty() && reply->needs_restart().empty()) cli.Say("nothing has changed");
}

// Whether all keys of the file are those of a policy file.
bool IsPolicyFile(const std::string& path) {
  const auto text = ReadSource(path);
  if (!text) return false;
  const SourceText source{path, *text};
  Report report;
  const std::vector<std::string> names = PolicyNames();
  size_t known = 0, unknown = 0;
  if (!CheckText(source, report)) return false;
  for (const YamlNode& document : ReadYaml(source, source.text, report)) {
    for (const YamlEntry& entry : document.entries) {
      const bool is_known = std::ranges::find(names, entry.key) != names.end();
      ++(is_known ? known : unknown);
    }
  }
  return known > unknown;
}

void ReadForCheck(const std::string& file, bool of_agent, ControllerReading& reading) {
  AgentConfig agent;
  reading.config.policy = BuiltInPolicy();
  if (of_agent) {
    reading.read = ReadSettings(AgentProgram(agent), SourcesOf(file, "agent"));
  } else {
    ReadControllerSettings(SourcesOf(file, "controller"), reading);
  }
}

void SaySound(const std::vector<std::string>& files, const Policy& policy, Cli& cli) {
  if (cli.PrintDocument({{"files", files}, {"sound", true}, {"milder", MilderRules(policy)}}))
    return;
  for (const std::string& file : files) fmt::print("{}: sound\n", file);
  SayMilderRules(policy, cli);
}

// A file of settings with its drop-ins.  The environment and flags of the machine are left out, so
// that a repository can check its files anywhere.
void ValidateSettings(const std::string& file, bool of_agent, Cli& cli) {
  ControllerReading reading;
  ReadForCheck(file, of_agent, reading);
  if (Refused(reading.read, cli)) return;
  if (reading.read.files.empty())
    return cli.Complain(
        NotFound(DefaultSettingsFile(of_agent ? "agent" : "controller") +
                 ": there is no settings file; name one, or write it with `gpu-platform init`"));
  SaySound(reading.read.files, reading.config.policy, cli);
}

void Validate(const std::string& file, bool of_agent, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  if (file.empty() || !IsPolicyFile(file)) {
    const bool is_agents = of_agent || std::filesystem::path(file).filename() == "agent.yaml";
    return ValidateSettings(file, is_agents, cli);
  }
  const auto policy = PolicyWith(file);
  if (!policy) return cli.Complain(policy.error());
  SaySound({file}, *policy, cli);
}

void PrintSchema(bool of_agent) {
  AgentConfig agent;
  ControllerConfig controller;
  const std::string schema =
      SettingsSchema(of_agent ? AgentProgram(agent) : ControllerProgram(controller));
  std::fputs(schema.c_str(), stdout);
}

void AddShow(CLI::App& config, Cli& cli) {
  const auto flags = std::make_shared<ShowFlags>();
  CLI::App* show = config.add_subcommand(
      "show",
      "Print the settings in force with the settings files and the environment, with explanations");
  show->add_option("--config", flags->file, "Settings file; default: that of this machine")
      ->type_name("FILE");
  show->add_flag("--agent", flags->of_agent, "Settings of the agent");
  show->add_flag("--origin", flags->origins, "Also print where each value is from");
  show->add_option("--policy", flags->policy, "Print only the policy, with this policy file")
      ->type_name("FILE");
  show->callback([flags, &cli] { Show(*flags, cli); });
}

void AddValidate(CLI::App& config, Cli& cli) {
  const auto file = std::make_shared<std::string>();
  const auto of_agent = std::make_shared<bool>(false);
  CLI::App* validate = config.add_subcommand(
      "validate",
      "Validate a settings file with its drop-ins, or a policy file; lists XIDs whose rules are "
      "milder than the built-in ones");
  validate->add_option("file", *file, "Settings file or policy file; default: this machine's")
      ->type_name("FILE");
  validate->add_flag("--agent", *of_agent, "It is the settings file of an agent");
  validate->callback([file, of_agent, &cli] { Validate(*file, *of_agent, cli); });
  CLI::App* schema = config.add_subcommand("schema", "Print the JSON Schema of the settings file");
  schema->add_flag("--agent", *of_agent, "Of the agent's settings file");
  schema->callback([of_agent] { PrintSchema(*of_agent); });
}

}  // namespace

void AddConfig(CLI::App& app, Cli& cli) {
  CLI::App* config = app.add_subcommand(
      "config", "Settings of the controller: show, running, validate, reload, schema");
  config->require_subcommand(1);
  AddShow(*config, cli);
  AddValidate(*config, cli);
  config
      ->add_subcommand(
          "running",
          "Print the policy and notification receivers of the running controller, as a policy file")
      ->callback([&cli] { ShowRunning(cli); });
  config
      ->add_subcommand("reload",
                       "Reload the settings files of the running controller; prints what has "
                       "changed, and what needs a restart")
      ->callback([&cli] { Reload(cli); });
}

}  // namespace gp
