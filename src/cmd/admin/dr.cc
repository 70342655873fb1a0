// The archive of the journal, for disaster recovery (docs/disaster_recovery.md).

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "application/archive/verify_archive.h"
#include "cmd/admin/archive_key.h"
#include "cmd/admin/disaster_recovery.h"
#include "cmd/cli.h"
#include "infrastructure/paths.h"
#include "infrastructure/system_clock.h"

namespace gp {
namespace {

using nlohmann::ordered_json;

// The positional URL, and how it is read.
std::shared_ptr<ArchiveAccess> AddAccess(CLI::App& sub) {
  const auto access = std::make_shared<ArchiveAccess>();
  sub.add_option("url", access->url, "The archive, such as s3://bucket/prefix")
      ->required()
      ->type_name("URL");
  sub.add_option("--key", access->key_file, "Its key")->required()->type_name("FILE");
  sub.add_option("--credentials", access->credentials_file, "Credentials for its store")
      ->type_name("FILE");
  return access;
}

void ShowStatus(Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto archive = (*client)->Call<v1::Archive>("GetArchive", v1::GetArchiveRequest());
  if (!archive) return cli.Complain(archive.error());
  if (cli.PrintDocument(*archive)) return;
  const auto or_never = [](const std::string& at) { return at.empty() ? "never" : at; };
  Output::PrintText("archive          " + archive->url() + "\n");
  Output::PrintText("complete until   " + or_never(archive->complete_until()) + "\n");
  Output::PrintText("records          " + std::to_string(archive->archived()) + " of " +
                    std::to_string(archive->last()) + "\n");
  Output::PrintText(
      "verified         " + or_never(archive->verified_at()) +
      (archive->verified() > 0 ? ", up to record " + std::to_string(archive->verified()) : "") +
      "\n");
  if (!archive->trouble().empty())
    Output::PrintText("trouble          " + archive->trouble() + "\n");
}

struct VerifyFlags {
  VerifyOptions options;
  bool marks = true;
};

// Later ones begin after what was verified, and older records may go.
Status MarkVerified(SealedArchive& archive, const ArchiveReport& report) {
  return archive.Put(NameOf(report.lineage, VerifiedName{report.verified, SystemClock().Now()}),
                     "");
}

void PrintReport(const ArchiveReport& report, Cli& cli) {
  ordered_json faults = ordered_json::array();
  for (const std::string& fault : report.faults) faults.push_back(fault);
  if (!report.faults.empty()) cli.exit_code = kExitUnhealthy;
  if (cli.PrintDocument(ordered_json{{"lineage", report.lineage},
                                     {"first", report.first},
                                     {"last", report.last},
                                     {"objects", report.objects},
                                     {"snapshots", report.snapshots},
                                     {"verified", report.verified},
                                     {"faults", faults}}))
    return;
  for (const std::string& fault : report.faults) Output::PrintText(fault + "\n");
  Output::PrintText((report.faults.empty() ? "sound: records " : "damaged: records ") +
                    std::to_string(report.first) + " to " + std::to_string(report.last) + ", " +
                    std::to_string(report.objects) + " objects, " +
                    std::to_string(report.snapshots) + " snapshots\n");
}

void Verify(const ArchiveAccess& access, const VerifyFlags& flags, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const auto store = OpenArchiveStore(access);
  if (!store) return cli.Complain(store.error());
  auto key = ReadArchiveKey(access);
  if (!key) return cli.Complain(key.error());
  SealedArchive archive(**store, *std::move(key));
  const auto report = VerifyArchive(archive, flags.options);
  if (!report) return cli.Complain(report.error());
  PrintReport(*report, cli);
  // Faults of older objects go with them.
  if (!flags.marks || (report->verified == 0 && !report->faults.empty())) return;
  const Status marked = MarkVerified(archive, *report);
  if (!marked) cli.Complain(marked.error());
}

void AddVerify(CLI::App& group, Cli& cli) {
  CLI::App* sub = group.add_subcommand(
      "verify", "Read an archive back, and check that a restore leads to the same state");
  const auto access = AddAccess(*sub);
  const auto flags = std::make_shared<VerifyFlags>();
  sub->add_flag("--new", flags->options.only_new, "Begin with what was verified last");
  sub->add_option("--lineage", flags->options.lineage,
                  "Of this number; needed where several may be the one that counts")
      ->type_name("NUMBER");
  sub->add_flag("!--no-mark", flags->marks, "Write nothing to the archive");
  sub->callback([access, flags, &cli] { Verify(*access, *flags, cli); });
}

void PrintRestored(const RestoredState& restored, const std::string& state, Cli& cli) {
  for (const std::string& fault : restored.archive.faults) cli.Say("passed by: " + fault);
  if (!restored.archive.faults.empty()) cli.exit_code = kExitPartly;
  cli.Say("jobs that ran then start again; what came after the last record is lost");
  const Instant at = restored.outcome.last_at;
  if (cli.PrintDocument(ordered_json{{"state", state},
                                     {"lineage", restored.archive.lineage},
                                     {"records", restored.outcome.last},
                                     {"last_at", at.ns == 0 ? "" : ToRfc3339(at)},
                                     {"passed_by", restored.archive.faults}}))
    return;
  std::printf("%s: up to record %llu; start it with gpu-platform serve\n", state.c_str(),
              static_cast<unsigned long long>(restored.outcome.last));
}

void AddRestoreFromArchive(CLI::App& group, Cli& cli) {
  CLI::App* sub = group.add_subcommand(
      "restore", "Make this machine's state directory from an archive, once its machines are gone");
  const auto access = AddAccess(*sub);
  const auto how = std::make_shared<RestoreFromArchive>();
  sub->add_option("--state", how->state,
                  "The controller's state directory; default: where serve keeps it")
      ->type_name("DIRECTORY");
  sub->add_option("--lineage", how->options.lineage,
                  "Of this number; needed where several may be the one that counts")
      ->type_name("NUMBER");
  sub->add_flag("--history", how->options.history,
                "All records, for replay and what-if, not only those after the newest snapshot");
  sub->add_flag("--accept-loss", how->options.accepts_loss,
                "Go as far as possible where something is missing");
  sub->add_flag("--replace-claim", how->replace_claim,
                "It was restored before, but that machine is gone for good");
  sub->callback([access, how, &cli] {
    if (!cli.Offers({"table"})) return;
    how->access = *access;
    if (how->state.empty()) how->state = DefaultStateDirectory();
    const auto restored = RestoreStateFromArchive(*how);
    if (!restored) return cli.Complain(restored.error());
    PrintRestored(*restored, how->state, cli);
  });
}

void AddMakeKey(CLI::App& group, Cli& cli) {
  CLI::App* sub = group.add_subcommand("make-key", "Make the key that seals an archive");
  const auto path = std::make_shared<std::string>();
  sub->add_option("file", *path, "A new file")->required()->type_name("FILE");
  sub->callback([path, &cli] {
    const Status made = MakeArchiveKey(*path);
    if (!made) return cli.Complain(made.error());
    if (cli.PrintDocument(ordered_json{{"key", *path}})) return;
    cli.Say("keep a copy elsewhere: nobody can read the archive without it");
    std::printf("%s\n", path->c_str());
  });
}

}  // namespace

void AddDisasterRecovery(CLI::App& admin, Cli& cli) {
  CLI::App* group = admin.add_subcommand("dr", "The archive of the journal, for disaster recovery");
  group->require_subcommand(1);
  group->add_subcommand("status", "How far the archive is")->callback([&cli] { ShowStatus(cli); });
  AddVerify(*group, cli);
  AddRestoreFromArchive(*group, cli);
  AddMakeKey(*group, cli);
}

}  // namespace gp
