#include "cmd/replay_what_if.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "adapters/inbound/policy_file/policy_file.h"
#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "base/text.h"
#include "cmd/machine_facts.h"
#include "domain/cluster/codec.h"
#include "infrastructure/table.h"
#include "simulation/what_if/run_player.h"

namespace gp {
namespace {

constexpr int64_t kAddedNodesMax = 100'000;

struct Version {
  std::string name;
  RunFigures figures;
};

Result<RecordedRun> ReadRun(const std::string& path) {
  if (access(path.c_str(), R_OK) != 0) return Fail(NotFound(path + ": no journal there"));
  const auto journal = GP_TRY(SqliteJournal::Open(path));
  RunRecorder recorder;
  GP_CHECK_OK(journal->ReadAfter(0, [&](uint64_t sequence, std::string_view bytes) -> Status {
    auto record = DecodeRecord(bytes);
    if (!record) return Fail(record.error().Within("record " + std::to_string(sequence)));
    recorder.Add(*record);
    return Ok();
  }));
  return recorder.Take();
}

Error NoNodes(const std::string& text) {
  return InvalidArgument("--nodes: \"" + Printable(text, 60) + "\" is neither +COUNTxMACHINE, as +2xdgx-h100, nor -NODE, as -n3");
}

// "+2xdgx-h100": two more, called what-if-1 and what-if-2.
Status AddNodes(const std::string& text, RunChanges& changes) {
  const size_t x = text.find('x');
  const auto count = x == std::string::npos ? Fail(NoNodes(text)) : ParseCount(text.substr(1, x - 1));
  if (!count || *count < 1 || *count > kAddedNodesMax) return Fail(NoNodes(text));
  const NodeFacts facts = GP_TRY(ReadMachine(text.substr(x + 1))).facts;
  for (int64_t i = 0; i < *count; ++i) {
    NodeFacts one = facts;
    one.name = "what-if-" + std::to_string(changes.added.size() + 1);
    for (size_t gpu = 0; gpu < one.gpus.size(); ++gpu) one.gpus[gpu].uuid = "GPU-" + one.name + "-" + std::to_string(gpu);
    changes.added.push_back(std::make_shared<const NodeFacts>(std::move(one)));
  }
  return Ok();
}

Result<RunChanges> ChangesFrom(const WhatIfFlags& flags) {
  RunChanges changes;
  const auto resume_cost = ParseDuration(flags.resume_cost);
  if (!resume_cost) return Fail(InvalidArgument("--resume-cost: " + resume_cost.error().message));
  changes.resume_cost = *resume_cost;
  if (!flags.policy.empty()) changes.policy = GP_TRY(ReadPolicyFile(flags.policy));
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

Status CheckRemoved(const RecordedRun& run, const RunChanges& changes) {
  for (const std::string& name : changes.removed) {
    const bool is_known = std::ranges::any_of(run.steps, [&](const RecordedStep& step) {
      const auto* node = std::get_if<RecordedNode>(&step.what);
      return node != nullptr && node->facts->name == name;
    });
    if (!is_known) return Fail(NotFound("--nodes: no node " + Printable(name, 60) + " in this run"));
  }
  return Ok();
}

nlohmann::ordered_json ToDocument(const WaitFigures& wait) {
  return {{"started", wait.started}, {"mean_s", wait.mean_s}, {"median_s", wait.median_s}, {"p95_s", wait.p95_s}, {"max_s", wait.max_s}};
}

nlohmann::ordered_json ToDocument(const RunFigures& figures) {
  nlohmann::ordered_json queues = nlohmann::ordered_json::object();
  for (const auto& [queue, wait] : figures.by_queue) queues[queue] = ToDocument(wait);
  return {{"jobs", figures.jobs},
          {"ended", figures.ended},
          {"never_started", figures.never_started},
          {"preemptions", figures.preemptions},
          {"wait", ToDocument(figures.wait)},
          {"wait_by_queue", queues},
          {"mean_turnaround_s", figures.mean_turnaround_s},
          {"span_h", figures.span_h},
          {"gpu_hours_held", figures.gpu_hours_held},
          {"gpu_hours_installed", figures.gpu_hours_installed},
          {"gpu_hours_idle_while_waiting", figures.gpu_hours_idle_while_waiting},
          {"utilization", figures.utilization}};
}

std::string Seconds(double seconds) { return ToText(Duration::Milliseconds(static_cast<int64_t>(seconds * 1e3 + 0.5))); }

void PrintVersions(const std::vector<Version>& versions, Cli& cli) {
  std::vector<Column> heads{{""}};
  for (const Version& version : versions) heads.push_back({version.name, true});
  Table table(heads);
  const auto add = [&](const std::string& name, const auto& value) {
    std::vector<std::string> cells{name};
    for (const Version& version : versions) cells.push_back(value(version.figures));
    table.Add(cells);
  };
  using F = RunFigures;
  add("jobs", [](const F& f) { return std::to_string(f.jobs); });
  add("ended", [](const F& f) { return std::to_string(f.ended); });
  add("never started", [](const F& f) { return std::to_string(f.never_started); });
  add("preemptions", [](const F& f) { return std::to_string(f.preemptions); });
  add("mean wait", [](const F& f) { return Seconds(f.wait.mean_s); });
  add("median wait", [](const F& f) { return Seconds(f.wait.median_s); });
  add("p95 wait", [](const F& f) { return Seconds(f.wait.p95_s); });
  add("longest wait", [](const F& f) { return Seconds(f.wait.max_s); });
  add("mean turnaround", [](const F& f) { return Seconds(f.mean_turnaround_s); });
  add("first submit to last end", [](const F& f) { return Seconds(f.span_h * 3600); });
  add("GPU-hours held", [](const F& f) { return fmt::format("{:.2f}", f.gpu_hours_held); });
  add("GPU-hours installed", [](const F& f) { return fmt::format("{:.2f}", f.gpu_hours_installed); });
  add("GPU-hours idle while jobs waited", [](const F& f) { return fmt::format("{:.2f}", f.gpu_hours_idle_while_waiting); });
  add("utilization", [](const F& f) { return fmt::format("{:.1f}%", 100 * f.utilization); });
  cli.PrintTable(table);
}

}  // namespace

std::shared_ptr<WhatIfFlags> AddWhatIfFlags(CLI::App& replay) {
  auto flags = std::make_shared<WhatIfFlags>();
  replay.add_option("--what-if", flags->policy, "Play the run again under this policy (docs/reference/policies.md)")->type_name("FILE");
  replay.add_option("--nodes", flags->nodes, "Play it again with more nodes, or without some: +2xdgx-h100,-n3")->delimiter(',')->type_name("CHANGE,...");
  replay.add_option("--resume-cost", flags->resume_cost, "What an interruption costs a job that is played")->type_name("DURATION")->capture_default_str();
  return flags;
}

bool IsAsked(const WhatIfFlags& flags) { return !flags.policy.empty() || !flags.nodes.empty(); }

void ReplayWhatIf(const std::string& journal, const WhatIfFlags& flags, Cli& cli) {
  if (!cli.Offers({"table", "csv"})) return;
  const auto changes = ChangesFrom(flags);
  if (!changes) return cli.Complain(changes.error());
  const auto run = ReadRun(journal);
  if (!run) return cli.Complain(run.error());
  if (const Status known = CheckRemoved(*run, *changes); !known) return cli.Complain(known.error());
  RunChanges none;
  none.resume_cost = changes->resume_cost;
  const PlayedRun same = RunPlayer(*run, none).Play();
  const PlayedRun other = RunPlayer(*run, *changes).Play();
  const std::vector<Version> versions = {{"RECORDED", FiguresOf(run->lives, run->usage)},
                                       {"PLAYED AS IT WAS", FiguresOf(same.lives, same.usage)},
                                       {"WHAT IF", FiguresOf(other.lives, other.usage)}};
  if (run->unfinished > 0) cli.Say(fmt::format("{} jobs had not ended: they are played for as long as they had run by then", run->unfinished));
  if (run->faults > 0) cli.Say(fmt::format("{} faults are not played again", run->faults));
  if (other.refused > same.refused) cli.Say(fmt::format("{} submits or other wishes are refused there", other.refused - same.refused));
  if (cli.PrintDocument(nlohmann::ordered_json{{"recorded", ToDocument(versions[0].figures)},
                                               {"played", ToDocument(versions[1].figures)},
                                               {"what_if", ToDocument(versions[2].figures)},
                                               {"unfinished", run->unfinished},
                                               {"faults", run->faults},
                                               {"refused", other.refused}})) {
    return;
  }
  PrintVersions(versions, cli);
}

}  // namespace gp
