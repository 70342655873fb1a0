// The controllers of the cluster (docs/controllers.md).

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cmd/admin/backup.h"
#include "cmd/cli.h"
#include "cmd/list_tables.h"
#include "infrastructure/paths.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

std::string FormatsText(const v1::Controller& one) {
  if (one.newest_format() == 0) return "-";
  return std::to_string(one.oldest_format()) + "-" + std::to_string(one.newest_format());
}

void PrintControllers(const v1::ListControllersReply& reply, Cli& cli) {
  for (const v1::Controller& one : reply.controllers())
    if (!one.unfit().empty()) cli.Say(one.name() + " is unfit: " + one.unfit());
  for (const v1::Controller& one : reply.controllers())
    if (one.differs_after() != 0)
      cli.Say("the state of " + one.name() + " differed from the leader's after record " +
              std::to_string(one.differs_after()) +
              ": it rebuilds it when it starts (docs/controllers.md, \"A standby that differs\")");
  for (const v1::StoreMember& one : reply.store())
    if (!one.trouble().empty()) cli.Say("etcd at " + one.endpoint() + ": " + one.trouble());
  if (cli.PrintDocument(reply)) return;
  if (cli.output == "name") {
    for (const v1::Controller& one : reply.controllers()) std::printf("%s\n", one.name().c_str());
    return;
  }
  cli.PrintList(ControllerTable(reply), "controllers");
}

template <typename Request>
void AskControllers(const char* method, const Request& request, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto reply = (*client)->Call<v1::ListControllersReply>(method, request);
  if (!reply) return cli.Complain(reply.error());
  PrintControllers(*reply, cli);
}

struct JoinFlags {
  std::string directory;
  std::string state;
  bool replace = false;
};

void MakeStandby(const JoinFlags& flags, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const std::string state = flags.state.empty() ? DefaultStateDirectory() : flags.state;
  const auto outcome = Restore(flags.directory, state, {flags.replace, /*as_standby=*/true});
  if (!outcome) return cli.Complain(outcome.error());
  if (cli.PrintDocument(nlohmann::ordered_json{
          {"state", state}, {"records", outcome->last}, {"set_aside", outcome->set_aside}}))
    return;
  if (!outcome->set_aside.empty()) cli.Say("the previous journal is now " + outcome->set_aside);
  std::printf("%s: a standby's, up to record %llu: start it with gpu-platform serve --store …\n",
              state.c_str(), static_cast<unsigned long long>(outcome->last));
}

void AddJoin(CLI::App& group, Cli& cli) {
  CLI::App* sub = group.add_subcommand(
      "join", "Make this machine's state directory that of another controller of the cluster");
  const auto flags = std::make_shared<JoinFlags>();
  sub->add_option("directory", flags->directory, "A backup of a controller of the cluster")
      ->required()
      ->type_name("DIRECTORY");
  sub->add_option("--state", flags->state,
                  "The controller's state directory; default: where serve keeps it")
      ->type_name("DIRECTORY");
  sub->add_flag("--replace", flags->replace, "Set aside the files that are there");
  sub->callback([flags, &cli] { MakeStandby(*flags, cli); });
}

struct AdoptFlags {
  std::string state;
  bool others_stopped = false;
  bool has_all = false;
};

std::string LastText(const std::string& state, const RestoreOutcome& found) {
  return state + ": up to record " + std::to_string(found.last) +
         (found.last_at.ns == 0 ? "" : " of " + ToRfc3339(found.last_at));
}

void Adopt(const AdoptFlags& flags, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const std::string state = flags.state.empty() ? DefaultStateDirectory() : flags.state;
  if (!flags.others_stopped) {
    const auto found = ReadLocal(state, flags.has_all);
    if (!found) return cli.Complain(found.error());
    return cli.Complain(InvalidArgument(
        LastText(state, *found) +
        ".  Two controllers without a common log would decide for one cluster: stop all others "
        "until this one leads (for good, if it is to be the only one), and say so with "
        "--others-stopped"));
  }
  const auto outcome = AdoptLocal(state, flags.has_all);
  if (!outcome) return cli.Complain(outcome.error());
  if (cli.PrintDocument(nlohmann::ordered_json{
          {"state", state}, {"records", outcome->last}, {"new_lineage", !flags.has_all}}))
    return;
  std::printf("%s.  Started with --store, it begins the log from there%s\n",
              LastText(state, *outcome).c_str(),
              flags.has_all ? "" : "; jobs that ran are started again");
}

void AddAdopt(CLI::App& group, Cli& cli) {
  CLI::App* sub = group.add_subcommand(
      "adopt-local",
      "Let a new log, or a single controller, go on from the journal of this machine");
  const auto flags = std::make_shared<AdoptFlags>();
  sub->add_option("--state", flags->state,
                  "The controller's state directory; default: where serve keeps it")
      ->type_name("DIRECTORY");
  sub->add_flag("--others-stopped", flags->others_stopped,
                "No other controller of the cluster runs; without it, nothing is changed");
  sub->add_flag("--has-all", flags->has_all,
                "No record is missing: it was the last leader's, whose machine lost no power; "
                "jobs run on");
  sub->callback([flags, &cli] { Adopt(*flags, cli); });
}

}  // namespace

Table ControllerTable(const v1::ListControllersReply& reply) {
  Table table({{.title = "NAME"},
               {.title = "ROLE"},
               {.title = "RECORDS", .right = true},
               {.title = "BEHIND", .right = true},
               {.title = "HEARD", .right = true},
               {.title = "VERSION", .drop = 2},
               {.title = "FORMATS", .drop = 3},
               {.title = "ADDRESS", .drop = 1}});
  for (const v1::Controller& one : reply.controllers()) {
    const bool leads = one.role() == "leader";
    table.Add({one.name(), one.role(), std::to_string(one.applied()),
               leads ? "-" : std::to_string(one.behind()),
               leads ? "-" : std::to_string(one.silent_ms() / 1'000) + " s ago", one.version(),
               FormatsText(one), one.grpc_address()});
  }
  return table;
}

void AddControllers(CLI::App& admin, Cli& cli) {
  CLI::App* group = admin.add_subcommand("controllers", "The controllers of the cluster");
  group->require_subcommand(1);
  group->add_subcommand("list", "Who leads, and how far the standbys are")->callback([&cli] {
    AskControllers("ListControllers", v1::ListControllersRequest(), cli);
  });
  group
      ->add_subcommand("step-down",
                       "The leader gives the lead up to a standby; its service starts it again")
      ->callback([&cli] { AskControllers("StepDown", v1::StepDownRequest(), cli); });
  CLI::App* raise = group->add_subcommand(
      "raise-format", "Write records in the newest format that every controller reads");
  const auto forced = std::make_shared<v1::RaiseFormatRequest>();
  raise->add_flag_callback(
      "--force", [forced] { forced->set_force(true); },
      "Do without controllers that are silent: they can no longer follow with their program");
  raise->callback([forced, &cli] { AskControllers("RaiseFormat", *forced, cli); });
  AddJoin(*group, cli);
  AddAdopt(*group, cli);
  CLI::App* remove = group->add_subcommand("remove", "Forget a controller that is gone for good");
  const auto name = std::make_shared<v1::RemoveControllerRequest>();
  remove
      ->add_option_function<std::string>(
          "NAME", [name](const std::string& text) { name->set_name(text); }, "Its name")
      ->required();
  remove->callback([name, &cli] { AskControllers("RemoveController", *name, cli); });
}

}  // namespace gp
