// Backup and restore of the controller's data (docs/operations.md, "Backup").

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cmd/admin/backup.h"
#include "cmd/cli.h"
#include "cmd/connection/controller_line.h"
#include "cmd/connection/credentials.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

JournalPage PageOf(v1::ReadJournalReply& reply) {
  JournalPage page{static_cast<uint64_t>(reply.first()),
                   {},
                   static_cast<uint64_t>(reply.last()),
                   std::nullopt,
                   static_cast<uint64_t>(reply.base().bytes())};
  for (std::string& record : *reply.mutable_records()) page.records.push_back(std::move(record));
  if (reply.has_base())
    page.base = Snapshot{static_cast<uint64_t>(reply.base().sequence()),
                         std::move(*reply.mutable_base()->mutable_state())};
  return page;
}

// Fetches the journal's pages from the controller, and notes its state directory. REQUIRES: both
// outlive the result.
JournalPages PagesFrom(ControlClient& client, std::string& state) {
  return [&client, &state](uint64_t after, uint64_t base_offset) -> Result<JournalPage> {
    v1::ReadJournalRequest request;
    request.set_after(static_cast<int64_t>(after));
    request.set_base_offset(static_cast<int64_t>(base_offset));
    auto reply = GP_TRY(client.Call<v1::ReadJournalReply>("ReadJournal", request));
    state = reply.state_directory();
    return PageOf(reply);
  };
}

// What the backup lacks beside the journal, and why.
std::vector<std::string> BackUpRest(const std::string& directory, const std::string& place,
                                    const std::string& state) {
  if (IsAddress(place))
    return {
        "the authority, the join token and the audit: they are files of the controller's machine"};
  if (state.empty()) return {};
  return BackUpFiles(directory, state);
}

void PrintBackup(const std::string& directory, const JournalCopy& copied,
                 const std::vector<std::string>& missing, const Cli& cli) {
  if (cli.PrintDocument(nlohmann::ordered_json{{"directory", directory},
                                               {"records", copied.last},
                                               {"added", copied.added},
                                               {"missing", missing}}))
    return;
  std::printf("%s: %llu records, %llu of them new\n", directory.c_str(),
              static_cast<unsigned long long>(copied.last),
              static_cast<unsigned long long>(copied.added));
}

void MakeBackup(const std::string& directory, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const auto place = PlaceOfController(cli.server);
  if (!place) return cli.Complain(place.error());
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  std::string state;
  const auto copied = BackUpJournal(directory, PagesFrom(**client, state));
  if (!copied) return cli.Complain(copied.error());
  const std::vector<std::string> missing = BackUpRest(directory, *place, state);
  for (const std::string& one : missing) cli.Say("warning: not in the backup: " + one);
  if (!missing.empty()) cli.exit_code = kExitPartly;
  PrintBackup(directory, *copied, missing, cli);
}

void AddBackup(CLI::App& admin, Cli& cli) {
  CLI::App* sub = admin.add_subcommand(
      "backup", "Back up the running controller; a repeated run adds what is new; admins only");
  auto directory = std::make_shared<std::string>();
  sub->add_option("directory", *directory,
                  "Directory of the backup; it holds secrets and only its owner can read it")
      ->required()
      ->type_name("DIRECTORY");
  sub->callback([directory, &cli] { MakeBackup(*directory, cli); });
}

struct RestoreFlags {
  std::string directory;
  std::string state;
  bool replace = false;
};

void MakeState(const RestoreFlags& flags, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const std::string state = flags.state.empty() ? DefaultStateDirectory() : flags.state;
  const auto outcome = Restore(flags.directory, state, {.replace = flags.replace});
  if (!outcome) return cli.Complain(outcome.error());
  const bool is_dated = outcome->last_at.ns != 0;
  const std::string at = is_dated ? ToRfc3339(outcome->last_at) : "";
  if (!outcome->set_aside.empty()) cli.Say("the previous journal is now " + outcome->set_aside);
  cli.Say("jobs that ran then start again, uncharged; jobs submitted later are lost");
  cli.Say(
      "tokens, roles and node certificates that were revoked later are valid again: revoke them "
      "again");
  if (cli.PrintDocument(nlohmann::ordered_json{{"state", state},
                                               {"records", outcome->last},
                                               {"last_at", at},
                                               {"set_aside", outcome->set_aside}}))
    return;
  std::printf("%s: as of %srecord %llu\n", state.c_str(), is_dated ? (at + ", ").c_str() : "",
              static_cast<unsigned long long>(outcome->last));
}

void AddRestore(CLI::App& admin, Cli& cli) {
  CLI::App* sub = admin.add_subcommand(
      "restore", "Restore a state directory from a backup; stop the controller first");
  auto flags = std::make_shared<RestoreFlags>();
  sub->add_option("directory", flags->directory, "Directory of the backup; it is not changed")
      ->required()
      ->type_name("DIRECTORY");
  sub->add_option("--state", flags->state,
                  "The controller's state directory; default: where serve keeps it")
      ->type_name("DIRECTORY");
  sub->add_flag("--replace", flags->replace, "Set aside the files that are there");
  sub->callback([flags, &cli] { MakeState(*flags, cli); });
}

}  // namespace

void AddAdmin(CLI::App& app, Cli& cli) {
  CLI::App* admin = app.add_subcommand("admin", "Backup, restore and the controllers of a cluster");
  admin->require_subcommand(1);
  AddBackup(*admin, cli);
  AddControllers(*admin, cli);
  AddDisasterRecovery(*admin, cli);
  AddRestore(*admin, cli);
}

}  // namespace gp
