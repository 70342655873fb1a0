// The controllers of the cluster (docs/controllers.md).

#include <cstdio>
#include <memory>

#include "cmd/cli.h"
#include "cmd/list_tables.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

void PrintControllers(const v1::ListControllersReply& reply, Cli& cli) {
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

}  // namespace

Table ControllerTable(const v1::ListControllersReply& reply) {
  Table table({{.title = "NAME"},
               {.title = "ROLE"},
               {.title = "RECORDS", .right = true},
               {.title = "BEHIND", .right = true},
               {.title = "HEARD", .right = true},
               {.title = "VERSION", .drop = 2},
               {.title = "ADDRESS", .drop = 1}});
  for (const v1::Controller& one : reply.controllers()) {
    const bool leads = one.role() == "leader";
    table.Add({one.name(), one.role(), std::to_string(one.applied()),
               leads ? "-" : std::to_string(one.behind()),
               leads ? "-" : std::to_string(one.silent_ms() / 1'000) + " s ago", one.version(),
               one.grpc_address()});
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
  CLI::App* remove = group->add_subcommand("remove", "Forget a controller that is gone for good");
  const auto name = std::make_shared<v1::RemoveControllerRequest>();
  remove
      ->add_option_function<std::string>(
          "NAME", [name](const std::string& text) { name->set_name(text); }, "Its name")
      ->required();
  remove->callback([name, &cli] { AskControllers("RemoveController", *name, cli); });
}

}  // namespace gp
