#include "adapters/inbound/scenario_file/scenario_file.h"

#include "adapters/inbound/scenario_file/key_table.h"
#include "adapters/inbound/scenario_file/parts.h"
#include "lib/yaml/check_text.h"

namespace gp {
namespace {

using enum FileCode;

// Reads the jobs after all other keys, wherever they are in the file: they depend on the nodes and
// on `until`.
void ReadScenario(const YamlNode& document, ScenarioDraft& draft) {
  Scenario& scenario = draft.scenario;
  const auto later = [](const YamlNode&) {};
  int64_t seed = 1;
  Duration until;
  KeyTable("a scenario", draft.report)
      .Count("seed", 0, INT64_MAX, seed)
      .Span("until", Duration::Seconds(1), kScenarioSpanMax, until)
      .Span("resume_cost", {}, kScenarioSpanMax, scenario.resume_cost)
      .Add("policy",
           [&](const YamlNode& map) { scenario.policy = draft.sources.policy(map, draft.report); })
      .Add("nodes", [&](const YamlNode& list) { ReadNodes(list, draft); })
      .Add("queues", [&](const YamlNode& list) { ReadQueues(list, draft); })
      .Add("jobs", later)
      .Required()
      .Add("events", [&](const YamlNode& list) { ReadEvents(list, draft); })
      .ReadFrom(document);
  scenario.seed = static_cast<uint64_t>(seed);
  if (until.ns > 0) scenario.until = until;
  if (const YamlEntry* jobs = document.Find("jobs")) ReadJobs(jobs->value, draft);
  if (scenario.nodes.empty() && !scenario.journal && draft.report.empty()) {
    draft.report.Add(document.place, kMissingKey,
                     "there are no nodes: write nodes: [{machine: dgx-h100, count: 2}]");
  }
}

void Tell(const std::vector<ScenarioFault>& faults, const ScenarioDraft& draft) {
  const auto places = [&](ScenarioFault::Part part) -> const std::vector<Place>& {
    switch (part) {
      case ScenarioFault::Part::kQueues: return draft.queues;
      case ScenarioFault::Part::kJobs: return draft.jobs;
      case ScenarioFault::Part::kTraces: return draft.traces;
      case ScenarioFault::Part::kEvents: break;
    }
    return draft.events;
  };
  for (const ScenarioFault& fault : faults)
    draft.report.Add(places(fault.part)[fault.index], kContradiction, fault.error.message);
}

void ReadSource(const SourceText& source, const ScenarioSources& sources, Report& report,
                DecodedScenario& decoded) {
  if (!CheckText(source, report)) return;
  const std::vector<YamlNode> documents = ReadYaml(source, source.text, report);
  if (!report.empty()) return;
  if (documents.size() != 1)
    return report.Add({&source}, kWrongType,
                      "a scenario is one document, not " + std::to_string(documents.size()));
  ScenarioDraft draft{{}, {}, {}, {}, {}, sources, report};
  ReadScenario(documents.front(), draft);
  if (!report.empty()) return;
  auto run = MakeRun(draft.scenario);
  if (run)
    decoded.run = std::move(*run);
  else
    Tell(run.error(), draft);
}

}  // namespace

DecodedScenario DecodeScenario(std::string_view file_name, std::string_view text,
                               const ScenarioSources& sources) {
  const SourceText source{std::string(file_name), std::string(text)};
  Report report;
  DecodedScenario decoded;
  ReadSource(source, sources, report, decoded);
  decoded.diagnostics = report.Take();
  return decoded;
}

}  // namespace gp
