#include <unistd.h>

#include <cstdio>

#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "application/control/recover.h"
#include "cmd/cli.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

void RunReplay(std::string path, bool verify, Cli& cli) {
  if (path.empty()) path = DefaultStateDirectory() + "/journal.db";
  if (access(path.c_str(), R_OK) != 0) return cli.Complain(NotFound(path + ": no journal there"));
  auto journal = SqliteJournal::Open(path);
  if (!journal) return cli.Complain(journal.error());
  const auto report = Replay(**journal, verify);
  if (!report) return cli.Complain(report.error());
  if (cli.WantsDocument()) {
    nlohmann::ordered_json document{{"records", report->records}, {"events", report->events},
                                    {"plans", report->plans}, {"digest", fmt::format("{:016x}", report->digest)},
                                    {"differences", report->differences}};
    std::printf("%s\n", document.dump(2).c_str());
  } else {
    std::printf("records %llu  events %llu  digest %016llx\n", static_cast<unsigned long long>(report->records),
                static_cast<unsigned long long>(report->events), static_cast<unsigned long long>(report->digest));
    if (verify) {
      std::printf("%zu differences in %llu commands decided and %llu passes planned again\n", report->differences.size(),
                  static_cast<unsigned long long>(report->records), static_cast<unsigned long long>(report->plans));
    }
    for (const std::string& difference : report->differences) std::printf("%s\n", difference.c_str());
  }
  if (!report->differences.empty()) cli.exit_code = kExitUnhealthy;
}

}  // namespace

void AddReplay(CLI::App& app, Cli& cli) {
  CLI::App* sub = app.add_subcommand("replay", "Fold a journal again; --verify decides everything anew and compares");
  auto path = std::make_shared<std::string>();
  auto verify = std::make_shared<bool>(false);
  sub->add_option("journal", *path, "Journal of a controller that does not run; default: this host's")->type_name("FILE");
  sub->add_flag("--verify", *verify, "Decide and plan again: 0 differences expected (exit code 9 otherwise)");
  sub->callback([path, verify, &cli] { RunReplay(*path, *verify, cli); });
}

}  // namespace gp
