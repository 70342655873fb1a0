#include "cmd/replay_what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "adapters/inbound/policy_file/policy_file.h"
#include "base/text.h"
#include "cmd/machine_facts.h"
#include "cmd/recorded_journal.h"
#include "simulation/engine/named_node.h"
#include "simulation/run/run_player.h"

namespace gp {
namespace {

constexpr int64_t kAddedNodesMax = 100'000;

Error NoNodes(const std::string& text) {
  return InvalidArgument("--nodes: \"" + Printable(text, 60) + "\" is neither +COUNTxMACHINE, as +2xdgx-h100, nor -NODE, as -n3");
}

// "+2xdgx-h100": two more, called what-if-1 and what-if-2.
Status AddNodes(const std::string& text, PlayOptions& changes) {
  const size_t x = text.find('x');
  const auto count = x == std::string::npos ? Fail(NoNodes(text)) : ParseCount(text.substr(1, x - 1));
  if (!count || *count < 1 || *count > kAddedNodesMax) return Fail(NoNodes(text));
  const NodeFacts facts = GP_TRY(ReadMachine(text.substr(x + 1))).facts;
  for (int64_t i = 0; i < *count; ++i) {
    changes.added.push_back(NamedNode(facts, "what-if-" + std::to_string(changes.added.size() + 1)));
  }
  return Ok();
}

Result<PlayOptions> ChangesFrom(const WhatIfFlags& flags) {
  PlayOptions changes;
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

Status CheckRemoved(const RecordedRun& run, const PlayOptions& changes) {
  for (const std::string& name : changes.removed) {
    const bool is_known = std::ranges::any_of(run.steps, [&](const RunStep& step) {
      const auto* node = std::get_if<NodeArrival>(&step.what);
      return node != nullptr && node->facts->name == name;
    });
    if (!is_known) return Fail(NotFound("--nodes: no node " + Printable(name, 60) + " in this run"));
  }
  return Ok();
}

}  // namespace

std::shared_ptr<WhatIfFlags> AddWhatIfFlags(CLI::App& replay) {
  auto flags = std::make_shared<WhatIfFlags>();
  replay.add_option("--what-if", flags->policy, "Play the run again under this policy (docs/reference/policies.md)")->type_name("FILE");
  replay.add_option("--nodes", flags->nodes, "Play it again with more nodes, or without some: +2xdgx-h100,-n3")->delimiter(',')->type_name("CHANGE,...");
  replay.add_option("--resume-cost", flags->resume_cost, "What an interruption costs a job that is played")->type_name("DURATION")->capture_default_str();
  AddPriceFlags(replay, flags->prices);
  return flags;
}

bool IsAsked(const WhatIfFlags& flags) { return !flags.policy.empty() || !flags.nodes.empty(); }

void ReplayWhatIf(const std::string& journal, const WhatIfFlags& flags, Cli& cli) {
  if (!cli.Offers({"table", "csv"})) return;
  const auto changes = ChangesFrom(flags);
  if (!changes) return cli.Complain(changes.error());
  const auto prices = PricesFrom(flags.prices);
  if (!prices) return cli.Complain(prices.error());
  const auto run = ReadRecordedRun(journal);
  if (!run) return cli.Complain(run.error());
  if (const Status known = CheckRemoved(*run, *changes); !known) return cli.Complain(known.error());
  PlayOptions none;
  none.resume_cost = changes->resume_cost;
  const PlayedRun same = RunPlayer(run->steps, none).Play();
  const PlayedRun other = RunPlayer(run->steps, *changes).Play();
  const std::vector<RunVersion> versions = {{"RECORDED", FiguresOf(run->lives, run->usage, *prices)},
                                       {"PLAYED AS IT WAS", FiguresOf(same.lives, same.usage, *prices)},
                                       {"WHAT IF", FiguresOf(other.lives, other.usage, *prices)}};
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
