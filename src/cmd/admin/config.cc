// The policy and settings of a controller: in force with a policy file, valid or not, and running.

#include <fmt/format.h>

#include <cstdio>

#include "cmd/cli.h"
#include "cmd/serve/policy_text.h"
#include "cmd/serve/policy_with.h"
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
  if (reply->changes().empty()) cli.Say("nothing has changed");
}

}  // namespace

void AddConfig(CLI::App& app, Cli& cli) {
  CLI::App* config = app.add_subcommand(
      "config", "Policy and settings of the controller: show, running, validate, reload");
  config->require_subcommand(1);
  auto file = std::make_shared<std::string>();
  CLI::App* show = config->add_subcommand("show",
                                          "Print the policy in force with a policy file, or "
                                          "without one, with explanations, as a policy file");
  show->add_option("--policy", *file, "Policy file of serve (docs/reference/policies.md)")
      ->type_name("FILE");
  show->callback([file, &cli] { Show(*file, cli); });
  config
      ->add_subcommand(
          "running",
          "Print the policy and notification receivers of the running controller, as a policy file")
      ->callback([&cli] { ShowRunning(cli); });
  config
      ->add_subcommand("reload",
                       "Reload the --policy and --notify files of the running controller; prints "
                       "what has changed")
      ->callback([&cli] { Reload(cli); });
  CLI::App* validate = config->add_subcommand(
      "validate",
      "Validate a policy file; lists XIDs whose rules are milder than the built-in ones");
  validate->add_option("file", *file, "Policy file")->type_name("FILE")->required();
  validate->callback([file, &cli] { CheckPolicyFile(*file, cli); });
}

}  // namespace gp
