// `simulate scenario`: a cluster of a file, simulated by the production engine in virtual time.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "adapters/inbound/job_file/decode.h"
#include "adapters/inbound/policy_file/policy_file.h"
#include "adapters/inbound/scenario_file/scenario_file.h"
#include "adapters/inbound/trace/job_trace.h"
#include "adapters/inbound/trace/pod_trace.h"
#include "adapters/inbound/xid_catalogue/xid_catalogue.h"
#include "cmd/cli.h"
#include "cmd/simulate/machine_facts.h"
#include "cmd/simulate/recorded_journal.h"
#include "cmd/simulate/report_file.h"
#include "cmd/simulate/run_versions.h"
#include "cmd/simulate/simulate.h"
#include "cmd/text/terminal_progress.h"
#include "infrastructure/paths.h"
#include "lib/yaml/check_text.h"

namespace gp {
namespace {

struct ScenarioFlags {
  std::string file;
  PriceFlags prices;
  std::string report;
};

// Files that a scenario names are looked for beside it.
ScenarioSources SourcesBeside(const std::string& file) {
  const std::filesystem::path directory = std::filesystem::path(file).parent_path();
  const auto beside = [directory](const std::string& name) { return (directory / name).string(); };
  ScenarioSources sources;
  sources.machine = [](const std::string& name) -> Result<std::shared_ptr<const NodeFacts>> {
    return std::make_shared<const NodeFacts>(GP_TRY(ReadMachine(name)).facts);
  };
  sources.trace = [beside](const std::string& name, TraceFormat format) {
    return format == TraceFormat::kAlibaba ? ReadPodWorkload(beside(name))
                                           : ReadTraceWorkload(beside(name));
  };
  sources.journal = [beside](const std::string& name) { return ReadRecordedRun(beside(name)); };
  sources.job = DecodeJob;
  sources.policy = [](const YamlNode& map, Report& report) {
    return ReadPolicy(map, XidRules(), report);
  };
  return sources;
}

RunReport ReportOf(const std::string& file, const std::string& text, ReportRun run,
                   const PlayedRun& played) {
  const std::string name = std::filesystem::path(file).filename();
  RunReport report{"Scenario " + name, {}, {}, name, text};
  report.notes.push_back("Simulated by the production engine in virtual time, " +
                         ToText(played.ends_at - run.series.begin) + " of it.");
  if (played.refused > 0)
    report.notes.push_back(
        fmt::format("{} submits or other requests were refused.", played.refused));
  report.runs.push_back(std::move(run));
  return report;
}

// A run without an end is as long as its steps, and then as its last jobs.
PlayedRun Play(const ScenarioRun& run, RunWatch watch, const Cli& cli) {
  Progress progress(ProgressOn(cli));
  const Instant end = std::min(run.options.until, run.steps.back().at);
  PlayOptions options = run.options;
  options.watch = Both(std::move(watch), ShowRun(progress, run.steps.front().at, end));
  return RunPlayer(run.steps, options).Play();
}

void SimulateScenario(const ScenarioFlags& flags, Cli& cli) {
  if (!cli.Offers({"table", "csv"})) return;
  const auto prices = PricesFrom(flags.prices);
  if (!prices) return cli.Complain(prices.error());
  const auto text = ReadTextFile(flags.file, kSourceBytesMax);
  if (!text) return cli.Complain(text.error());
  const DecodedScenario decoded = DecodeScenario(flags.file, *text, SourcesBeside(flags.file));
  if (!decoded.run) {
    std::fputs(RenderDiagnostics(decoded.diagnostics, "nothing simulated").c_str(), stderr);
    cli.exit_code = kExitUsage;
    return;
  }
  SeriesMeter series;
  const PlayedRun played =
      Play(*decoded.run, flags.report.empty() ? RunWatch() : series.Watch(), cli);
  const RunFigures figures = FiguresOf(played.lives, played.usage, *prices);
  if (played.refused > 0)
    cli.Say(fmt::format("{} submits or other requests were refused", played.refused));
  if (!flags.report.empty()) {
    const RunReport report =
        ReportOf(flags.file, *text,
                 {"Played", figures, series.Take(played.ends_at), WaitsOf(played.lives)}, played);
    if (const Status written = WriteReport(report, flags.report, cli); !written)
      return cli.Complain(written.error());
  }
  nlohmann::ordered_json document = ToDocument(figures);
  document["refused"] = played.refused;
  if (cli.PrintDocument(document)) return;
  PrintVersions({{"PLAYED", figures}}, cli);
}

}  // namespace

void AddSimulateScenario(CLI::App& simulate, Cli& cli) {
  CLI::App* scenario =
      simulate.add_subcommand("scenario",
                              "Simulate a cluster and its jobs, invented or recorded, in virtual "
                              "time with the production engine");
  auto flags = std::make_shared<ScenarioFlags>();
  scenario->add_option("file", flags->file, "Scenario (docs/reference/scenario_file.md)")
      ->required()
      ->type_name("FILE");
  AddPriceFlags(*scenario, flags->prices);
  AddReportFlag(*scenario, flags->report);
  scenario->callback([flags, &cli] { SimulateScenario(*flags, cli); });
}

}  // namespace gp
