// What a controller decides by: what would be in force with a policy file, whether one is sound,
// and what is.

#include <fmt/format.h>

#include <cstdio>

#include "cmd/cli.h"
#include "cmd/policy_text.h"
#include "cmd/policy_with.h"
#include "gpu_platform/v1/settings.pb.h"

namespace gp {
namespace {

void Show(const std::string& file, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const auto policy = PolicyWith(file);
  if (!policy) return cli.Complain(policy.error());
  if (cli.PrintDocument(PolicyDocument(file, *policy))) return;
  std::fputs(PolicyFileText(file, *policy).c_str(), stdout);
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
  for (const v1::Receiver& receiver : settings->receivers()) {
    fmt::print("# Tells {}{}: {} {}, {} waiting{}\n", receiver.name(),
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
  if (reply->changes().empty()) cli.Say("all is as it was");
}

}  // namespace

void AddConfig(CLI::App& app, Cli& cli) {
  CLI::App* config =
      app.add_subcommand("config", "What a controller decides by: show, running, validate, reload");
  config->require_subcommand(1);
  auto file = std::make_shared<std::string>();
  CLI::App* show = config->add_subcommand("show",
                                          "All that is in force with a policy file, or without "
                                          "one, with what it means; itself such a file");
  show->add_option("--policy", *file, "As serve takes it (docs/reference/policies.md)")
      ->type_name("FILE");
  show->callback([file, &cli] { Show(*file, cli); });
  config
      ->add_subcommand("running",
                       "What the controller that runs decides by, and whom it tells of what "
                       "happens; itself a policy file")
      ->callback([&cli] { ShowRunning(cli); });
  config
      ->add_subcommand("reload",
                       "Let the controller that runs read its files of --policy and --notify once "
                       "more; says what has changed")
      ->callback([&cli] { Reload(cli); });
  CLI::App* validate = config->add_subcommand(
      "validate", "Whether a policy file is sound; tells which XIDs it takes less seriously");
  validate->add_option("file", *file, "The file")->type_name("FILE")->required();
  validate->callback([file, &cli] { CheckPolicyFile(*file, cli); });
}

}  // namespace gp
