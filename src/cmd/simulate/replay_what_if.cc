#include "cmd/simulate/replay_what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "adapters/inbound/policy_file/policy_file.h"
#include "adapters/inbound/xid_catalogue/xid_catalogue.h"
#include "base/text.h"
#include "cmd/simulate/machine_facts.h"
#include "cmd/simulate/recorded_journal.h"
#include "cmd/simulate/report_file.h"
#include "cmd/text/terminal_progress.h"
#include "infrastructure/paths.h"
#include "simulation/engine/named_node.h"
#include "simulation/run/run_player.h"

namespace gp {
namespace {

constexpr int64_t kAddedNodesMax = 100'000;

struct PlayedVersion {
  ReportRun run;
  int64_t refused = 0;
};

Error NoNodes(const std::string& text) {
  return InvalidArgument("--nodes: \"" + Printable(text, 60) +
                         "\" is neither +COUNTxMACHINE, as +2xdgx-h100, nor -NODE, as -n3");
}

// "+2xdgx-h100": two more, called what-if-1 and what-if-2.
Status AddNodes(const std::string& text, PlayOptions& changes) {
  const size_t x = text.find('x');
  const auto count =
      x == std::string::npos ? Fail(NoNodes(text)) : ParseCount(text.substr(1, x - 1));
  if (!count || *count < 1 || *count > kAddedNodesMax) return Fail(NoNodes(text));
  const NodeFacts facts = GP_TRY(ReadMachine(text.substr(x + 1))).facts;
  for (int64_t i = 0; i < *count; ++i) {
    changes.added.push_back(
        NamedNode(facts, "what-if-" + std::to_string(changes.added.size() + 1)));
  }
  return Ok();
}

Result<PlayOptions> ChangesFrom(const WhatIfFlags& flags) {
  PlayOptions changes;
  const auto resume_cost = ParseDuration(flags.resume_cost);
  if (!resume_cost) return Fail(InvalidArgument("--resume-cost: " + resume_cost.error().message));
  changes.resume_cost = *resume_cost;
  if (!flags.policy.empty()) changes.policy = GP_TRY(ReadPolicyFile(flags.policy, XidRules()));
  for (const std::string& text : flags.nodes) {
    if (text.starts_with("+")) {
      GP_CHECK_OK(AddNodes(text, changes));
    } else if (text.size() > 1 && text.starts_with("-")) {
      changes.removed.insert(text.substr(1));
    } else {
      return Fail(NoNodes(text));
    }
  }
  return changes;
}

Status CheckRemoved(const RecordedRun& run, const PlayOptions& changes) {
  for (const std::string& name : changes.removed) {
    const bool is_known = std::ranges::any_of(run.steps, [&](const RunStep& step) {
      const auto* node = std::get_if<NodeArrival>(&step.what);
      return node != nullptr && node->facts->name == name;
    });
    if (!is_known)
      return Fail(NotFound("--nodes: no node " + Printable(name, 60) + " in this run"));
  }
  return Ok();
}

}  // namespace

std::shared_ptr<WhatIfFlags> AddWhatIfFlags(CLI::App& replay) {
  auto flags = std::make_shared<WhatIfFlags>();
  replay
      .add_option("--what-if", flags->policy,
                  "Simulate the run under this policy (docs/reference/policies.md)")
      ->type_name("FILE");
  replay
      .add_option("--nodes", flags->nodes,
                  "Simulate the run with more nodes, or without some: +2xdgx-h100,-n3")
      ->delimiter(',')
      ->type_name("CHANGE,...");
  replay
      .add_option("--resume-cost", flags->resume_cost,
                  "Time that each interruption costs a simulated job")
      ->type_name("DURATION")
      ->capture_default_str();
  AddPriceFlags(replay, flags->prices);
  AddReportFlag(replay, flags->report);
  return flags;
}

bool IsRequested(const WhatIfFlags& flags) { return !flags.policy.empty() || !flags.nodes.empty(); }

namespace {

RunWatch WatchFor(const WhatIfFlags& flags, SeriesMeter& series) {
  return flags.report.empty() ? RunWatch() : series.Watch();
}

// The result of the run with these options.
PlayedVersion PlayVersion(const std::string& name, const RecordedRun& run, PlayOptions options,
                          const WhatIfFlags& flags, const Prices& prices, Progress& progress) {
  progress.Begin(name);
  SeriesMeter series;
  options.watch =
      Both(WatchFor(flags, series),
           ShowRun(progress, run.steps.empty() ? Instant{} : run.steps.front().at, run.ends_at));
  const PlayedRun played = RunPlayer(run.steps, options).Play();
  return {{name, FiguresOf(played.lives, played.usage, prices), series.Take(played.ends_at),
           WaitsOf(played.lives)},
          played.refused};
}

ReportRun RecordedVersion(const RecordedRun& run, const Prices& prices, SeriesMeter& series) {
  return {"Recorded", FiguresOf(run.lives, run.usage, prices), series.Take(run.ends_at),
          WaitsOf(run.lives)};
}

// The versions of a run, side by side.
struct Comparison {
  RecordedRun run;
  std::vector<ReportRun> versions;  // as recorded, played as it was, played with the changes
  int64_t refused = 0;              // with the changes
  int64_t refused_more = 0;         // than as it was
};

Result<Comparison> PlayVersions(const std::string& journal, const WhatIfFlags& flags,
                                const PlayOptions& changes, const Prices& prices,
                                Progress& progress) {
  progress.Begin("Reading");
  SeriesMeter recorded;
  RecordedRun run = GP_TRY(ReadRecordedRun(journal, WatchFor(flags, recorded), ShowPart(progress)));
  GP_CHECK_OK(CheckRemoved(run, changes));
  const PlayOptions none{.resume_cost = changes.resume_cost};
  const PlayedVersion same = PlayVersion("Played as it was", run, none, flags, prices, progress);
  const PlayedVersion other = PlayVersion("What if", run, changes, flags, prices, progress);
  progress.Clear();
  std::vector<ReportRun> versions{RecordedVersion(run, prices, recorded), same.run, other.run};
  return Comparison{std::move(run), std::move(versions), other.refused,
                    other.refused - same.refused};
}

// Notes on what the figures do not show.
std::vector<std::string> NotesOn(const RecordedRun& run, int64_t refused_more) {
  std::vector<std::string> notes;
  if (run.unfinished > 0)
    notes.push_back(fmt::format(
        "jobs that had not ended: {}; they are played for as long as they had run by then",
        run.unfinished));
  if (run.faults > 0) notes.push_back(fmt::format("{} faults are not played again", run.faults));
  if (refused_more > 0)
    notes.push_back(fmt::format("{} submits or other requests are refused there", refused_more));
  return notes;
}

RunReport ReportOf(const std::string& journal, const WhatIfFlags& flags,
                   const std::vector<ReportRun>& runs, const std::vector<std::string>& notes) {
  RunReport report{
      "What if: " + std::filesystem::path(journal).filename().string(), {}, runs, "", ""};
  report.notes.push_back("The run begins " + ToRfc3339(runs.front().series.begin) +
                         ". All versions are drawn to one scale.");
  if (!flags.nodes.empty()) report.notes.push_back("Nodes: " + Join(flags.nodes, ", "));
  for (std::string note : notes) {
    note[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(note[0])));
    report.notes.push_back(note + ".");
  }
  if (flags.policy.empty()) return report;
  report.source_title = std::filesystem::path(flags.policy).filename();
  report.source = ReadTextFile(flags.policy).value_or("");
  return report;
}

// Says the notes, and writes the report if one is asked for.
Status TellNotes(const std::string& journal, const WhatIfFlags& flags, const Comparison& compared,
                 const Cli& cli) {
  const std::vector<std::string> notes = NotesOn(compared.run, compared.refused_more);
  for (const std::string& note : notes) cli.Say(note);
  if (flags.report.empty()) return Ok();
  return WriteReport(ReportOf(journal, flags, compared.versions, notes), flags.report, cli);
}

void PrintComparison(const Comparison& compared, Cli& cli) {
  const std::vector<ReportRun>& versions = compared.versions;
  if (cli.PrintDocument(nlohmann::ordered_json{{"recorded", ToDocument(versions[0].figures)},
                                               {"played", ToDocument(versions[1].figures)},
                                               {"what_if", ToDocument(versions[2].figures)},
                                               {"unfinished", compared.run.unfinished},
                                               {"faults", compared.run.faults},
                                               {"refused", compared.refused}})) {
    return;
  }
  PrintVersions({{"RECORDED", versions[0].figures},
                 {"PLAYED AS IT WAS", versions[1].figures},
                 {"WHAT IF", versions[2].figures}},
                cli);
}

}  // namespace

void ReplayWhatIf(const std::string& journal, const WhatIfFlags& flags, Cli& cli) {
  if (!cli.Offers({"table", "csv"})) return;
  const auto changes = ChangesFrom(flags);
  if (!changes) return cli.Complain(changes.error());
  const auto prices = PricesFrom(flags.prices);
  if (!prices) return cli.Complain(prices.error());
  Progress progress(ProgressOn(cli));
  const auto compared = PlayVersions(journal, flags, *changes, *prices, progress);
  if (!compared) return cli.Complain(compared.error());
  if (const Status told = TellNotes(journal, flags, *compared, cli); !told)
    return cli.Complain(told.error());
  PrintComparison(*compared, cli);
}

}  // namespace gp
