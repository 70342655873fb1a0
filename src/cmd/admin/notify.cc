// Notification receivers of the controller (docs/how-to/notifications.md). Needs no controller.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/inbound/notify_file/notify_file.h"
#include "adapters/outbound/notify/deliver.h"
#include "base/text.h"
#include "cmd/cli.h"
#include "infrastructure/system_clock.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

using Json = nlohmann::ordered_json;

Json DocumentOf(const std::string& file, const NotifyConfig& config) {
  Json receivers = Json::array();
  for (const Receiver& receiver : config.receivers) {
    receivers.push_back({{"name", receiver.name},
                         {"way", Name(receiver.way)},
                         {"to", PlaceOf(receiver)},
                         {"on", receiver.on},
                         {"where", Json(receiver.where)},
                         {"jobs", receiver.jobs_may_name},
                         {"signed", !receiver.secret_file.empty()},
                         {"problem", ProblemOf(receiver)}});
  }
  return {{"file", file}, {"receivers", receivers}};
}

void CheckFile(const std::string& file, Cli& cli) {
  if (!cli.Offers({"table", "csv"})) return;
  const auto config = ReadNotifyFile(file);
  if (!config) return cli.Complain(config.error());
  const bool has_problem = std::ranges::any_of(
      config->receivers, [](const Receiver& receiver) { return !ProblemOf(receiver).empty(); });
  if (has_problem) cli.exit_code = 1;
  if (cli.PrintDocument(DocumentOf(file, *config))) return;
  Table table({{"RECEIVER"}, {"WAY"}, {"TO"}, {.title = "EVENTS", .cut = true}, {"PROBLEM"}});
  for (const Receiver& receiver : config->receivers) {
    std::vector<std::string> events(receiver.on.begin(), receiver.on.end());
    if (receiver.jobs_may_name) events.emplace_back("what jobs request");
    table.Add({receiver.name, Name(receiver.way), PlaceOf(receiver), Join(events, ","),
               ProblemOf(receiver)});
  }
  cli.PrintTable(table);
}

void Test(const std::string& file, const std::string& name, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const auto config = ReadNotifyFile(file);
  if (!config) return cli.Complain(config.error());
  const auto receiver = std::ranges::find(config->receivers, name, &Receiver::name);
  if (receiver == config->receivers.end()) {
    std::vector<std::string> names;
    for (const Receiver& one : config->receivers) names.push_back(one.name);
    return cli.Complain(NotFound(file + " has no receiver \"" + Printable(name, 60) +
                                 "\"; there are " + Join(names, ", ")));
  }
  const Instant now = SystemClock().Now();
  const Notification notification{
      "test." + ToBase32(static_cast<uint64_t>(now.ns)),
      now,
      {LogLevel::kInfo, "test", {{"what", "sent by gpu-platform notify test"}}}};
  if (const Status delivered = Deliver(*config, *receiver, ToJson(notification), now, -1);
      !delivered)
    return cli.Complain(delivered.error().Within(name));
  if (cli.PrintDocument(Json{{"receiver", name}, {"id", notification.id}})) return;
  fmt::print("{} was notified\n", name);
}

}  // namespace

void AddNotify(CLI::App& app, Cli& cli) {
  CLI::App* notify = app.add_subcommand("notify", "Notification receivers: check, test");
  notify->require_subcommand(1);
  auto file = std::make_shared<std::string>();
  auto name = std::make_shared<std::string>();
  CLI::App* check = notify->add_subcommand("check",
                                           "Check a notification file and list its receivers with "
                                           "their events; exit code 1: one has a problem");
  check->add_option("file", *file, "File of serve --notify (docs/how-to/notifications.md)")
      ->type_name("FILE")
      ->required();
  check->callback([file, &cli] { CheckFile(*file, cli); });
  CLI::App* test = notify->add_subcommand("test", "Send a test notification to one receiver");
  test->add_option("file", *file, "File of serve --notify")->type_name("FILE")->required();
  test->add_option("receiver", *name, "Its name in the file")->type_name("RECEIVER")->required();
  test->callback([file, name, &cli] { Test(*file, *name, cli); });
}

}  // namespace gp
