// The audit log: who changed what, and what was refused (docs/reference/access.md).

#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/outbound/audit/audit_file.h"
#include "cmd/cli.h"
#include "cmd/connection/state_place.h"
#include "cmd/list_tables.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

std::string OutcomeText(const v1::AuditEntry& entry) {
  if (!entry.refused()) return entry.details();
  return "refused" +
         (entry.times() > 1 ? " " + std::to_string(entry.times()) + " times" : std::string()) +
         ": " + entry.why();
}

}  // namespace

Table AuditTable(const v1::ListAuditReply& reply) {
  Table table({{.title = "AT"},
               {.title = "USER"},
               {.title = "FROM", .drop = 1},
               {.title = "OPERATION"},
               {.title = "OBJECT", .cut = true},
               {.title = "WHAT", .cut = true}});
  for (const v1::AuditEntry& entry : reply.entries()) {
    table.Add({entry.at(), entry.user().empty() ? kDash : entry.user(), entry.from(),
               entry.operation(), entry.object().empty() ? kDash : entry.object(),
               OutcomeText(entry)});
  }
  return table;
}

namespace {

void PrintEntries(const v1::ListAuditReply& reply, Cli& cli) {
  if (cli.PrintDocument(reply)) return;
  cli.PrintList(AuditTable(reply), "audit entries");
  if (reply.next() != 0) cli.Say("older entries: --before " + std::to_string(reply.next()));
}

void AddAuditList(CLI::App& audit, Cli& cli) {
  CLI::App* sub = cli.AddListFlags(
      audit.add_subcommand("list", "List audit entries, the newest first; admins only"));
  auto request = std::make_shared<v1::ListAuditRequest>();
  sub->add_option_function<std::string>(
         "--user", [request](const std::string& user) { request->set_user(user); },
         "Only entries of this user")
      ->type_name("USER");
  sub->add_option_function<std::string>(
         "--operation",
         [request](const std::string& operation) { request->set_operation(operation); },
         "Only these operations, such as SubmitJob")
      ->type_name("NAME");
  sub->add_option_function<std::string>(
         "--object", [request](const std::string& object) { request->set_object(object); },
         "Only entries about this job, node, queue or token")
      ->type_name("NAME");
  sub->add_flag_function(
      "--refused", [request](int64_t) { request->set_refused(true); }, "Only refused requests");
  sub->add_option_function<int>(
         "--limit", [request](int limit) { request->set_limit(limit); },
         "Maximum number of entries; default: 100")
      ->check(CLI::Range(1, 10'000));
  sub->add_option_function<int64_t>(
         "--before", [request](int64_t number) { request->set_before(number); },
         "Only entries of records before this number")
      ->check(CLI::PositiveNumber);
  sub->callback([request, &cli] {
    const auto client = cli.Controller();
    if (!client) return cli.Complain(client.error());
    const auto reply = (*client)->Call<v1::ListAuditReply>("ListAudit", *request);
    if (!reply) return cli.Complain(reply.error());
    PrintEntries(*reply, cli);
  });
}

void Verify(const std::string& directory, Cli& cli) {
  const auto verdict = VerifyAudit(directory);
  if (!verdict) return cli.Complain(verdict.error());
  if (!verdict->broken.empty())
    return cli.Complain(Conflict(directory + ": after " + std::to_string(verdict->entries) +
                                 " sound entries: " + verdict->broken));
  if (cli.PrintDocument(nlohmann::ordered_json{{"entries", verdict->entries},
                                               {"first_at", verdict->first_at},
                                               {"last_at", verdict->last_at},
                                               {"hash", verdict->hash}}))
    return;
  std::printf("%llu entries, %s to %s: each follows from the one before\n",
              static_cast<unsigned long long>(verdict->entries), verdict->first_at.c_str(),
              verdict->last_at.c_str());
  std::printf("%s\n", verdict->hash.c_str());
  cli.Say(
      "this is the last hash: keep it on another machine to detect whether the audit was "
      "rewritten");
}

void AddAuditVerify(CLI::App& audit, Cli& cli) {
  CLI::App* sub = audit.add_subcommand(
      "verify", "Verify the chain of hashes in the audit files; no controller is needed");
  auto directory = std::make_shared<std::string>();
  sub->add_option("directory", *directory,
                  "Directory of the files; default: audit, below the controller's state directory")
      ->type_name("DIRECTORY");
  sub->callback([directory, &cli] {
    if (!directory->empty()) return Verify(*directory, cli);
    const auto state = StatePlace(cli.server);
    if (!state) return cli.Complain(state.error().Within("name the directory"));
    Verify(*state + "/audit", cli);
  });
}

}  // namespace

void AddAudit(CLI::App& app, Cli& cli) {
  CLI::App* audit =
      app.add_subcommand("audit", "Audit log: who changed what, and what was refused");
  audit->require_subcommand(1);
  AddAuditList(*audit, cli);
  AddAuditVerify(*audit, cli);
}

}  // namespace gp
