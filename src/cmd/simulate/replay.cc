#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "application/control/recover.h"
#include "cmd/cli.h"
#include "cmd/simulate/replay_what_if.h"
#include "cmd/text/terminal_progress.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

void RunReplay(const std::string& path, bool verify, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  if (access(path.c_str(), R_OK) != 0) return cli.Complain(NotFound(path + ": no journal there"));
  auto journal = SqliteJournal::Open(path);
  if (!journal) return cli.Complain(journal.error());
  Progress progress(ProgressOn(cli));
  const auto report = Replay(**journal, verify, ShowPart(progress));
  progress.Clear();
  if (!report) return cli.Complain(report.error());
  if (!report->differences.empty()) cli.exit_code = kExitUnhealthy;
  if (cli.PrintDocument(nlohmann::ordered_json{{"first", report->first},
                                               {"records", report->records},
                                               {"events", report->events},
                                               {"plans", report->plans},
                                               {"digest", fmt::format("{:016x}", report->digest)},
                                               {"differences", report->differences}})) {
    return;
  }
  if (report->first > 1)
    cli.Say(fmt::format("from record {} on: older ones were dropped, and a snapshot replaces them",
                        report->first));
  fmt::print("records {}  events {}  digest {:016x}\n", report->records, report->events,
             report->digest);
  if (verify) {
    fmt::print("{} differences in {} commands decided and {} passes planned again\n",
               report->differences.size(), report->records, report->plans);
  }
  for (const std::string& difference : report->differences) fmt::print("{}\n", difference);
}

}  // namespace

void AddReplay(CLI::App& app, Cli& cli) {
  CLI::App* sub = app.add_subcommand(
      "replay", "Replay a journal; --verify decides everything again and compares");
  auto path = std::make_shared<std::string>();
  auto verify = std::make_shared<bool>(false);
  sub->add_option("journal", *path, "Journal of a stopped controller; default: this host's")
      ->type_name("FILE");
  sub->add_flag("--verify", *verify,
                "Decide and plan again: 0 differences expected (exit code 9 otherwise)");
  const auto what_if = AddWhatIfFlags(*sub);
  sub->callback([path, verify, what_if, &cli] {
    if (path->empty()) *path = DefaultStateDirectory() + "/journal.db";
    if (!IsRequested(*what_if)) return RunReplay(*path, *verify, cli);
    if (*verify) return cli.Complain(InvalidArgument("--verify and a what-if cannot be combined"));
    ReplayWhatIf(*path, *what_if, cli);
  });
}

}  // namespace gp
