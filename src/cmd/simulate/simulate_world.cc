// `simulate world`: the whole system under faults, in virtual time, once for each seed.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "adapters/inbound/xid_catalogue/xid_catalogue.h"
#include "base/digest.h"
#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/simulate/simulate.h"
#include "cmd/text/terminal_progress.h"
#include "simulation/world/shrink.h"
#include "simulation/world/world.h"

namespace gp {
namespace {

constexpr int kFailuresMax = 10;

struct WorldFlags {
  uint64_t seed = 1;
  uint64_t seeds = 1;
  size_t controllers = 1;
  std::string jobs;
  std::string mishaps;
  bool twice = false;
  bool shrink = false;
  int tries_max = 400;
};

struct WorldSums {
  uint64_t worlds = 0;
  uint64_t digest = 0;
  WorldReport all;  // sums
  std::vector<std::string> failures;

  void Add(const WorldReport& report) {
    ++worlds;
    digest = Digest64(std::to_string(report.digest), digest);
    all.steps += report.steps;
    all.records += report.records;
    all.starts += report.starts;
    all.crashes += report.crashes;
    all.lasted = all.lasted + report.lasted;
    all.cut = all.cut + report.cut;
  }
};

// "all", "none" or positions with commas.
Result<std::set<size_t>> PositionsFrom(const std::string& text, std::set<size_t> all) {
  if (text.empty() || text == "all") return all;
  std::set<size_t> some;
  if (text == "none") return some;
  for (const std::string& word : Split(text, ',')) {
    const auto position = static_cast<size_t>(GP_TRY(ParseCount(word)));
    if (!all.contains(position))
      return Fail(InvalidArgument("there is no position " + word + " in this world"));
    some.insert(position);
  }
  return some;
}

std::string Failure(const WorldPlan& plan, const WorldPart& part, const std::string& broken,
                    const WorldFlags& flags) {
  const std::string first =
      fmt::format("seed {}: {}\n  again: {}", plan.seed, broken, CommandFor(plan));
  if (!flags.shrink) return first;
  std::string last = broken;
  const WorldPart small = Shrink(part, flags.tries_max, [&](const WorldPart& one) {
    const WorldReport report = RunWorld(plan, one);
    if (!report.broken.empty()) last = report.broken;
    return !report.broken.empty();
  });
  return fmt::format("{}\n  smallest found, with {} jobs and {} mishaps: {}\n  {}", first,
                     small.jobs.size(), small.mishaps.size(), last, TellPart(plan, small));
}

Status PlayOne(uint64_t seed, const Policy& policy, const WorldFlags& flags, WorldSums& sums) {
  const WorldPlan plan = DrawWorld(seed, policy, flags.controllers);
  const WorldPart whole = WholeOf(plan);
  const WorldPart part{GP_TRY(PositionsFrom(flags.jobs, whole.jobs)),
                       GP_TRY(PositionsFrom(flags.mishaps, whole.mishaps))};
  const WorldReport report = RunWorld(plan, part);
  sums.Add(report);
  if (!report.broken.empty()) sums.failures.push_back(Failure(plan, part, report.broken, flags));
  if (flags.twice && RunWorld(plan, part).digest != report.digest)
    sums.failures.push_back(fmt::format("seed {}: a second run differs", seed));
  return Ok();
}

nlohmann::ordered_json WorldDocument(const WorldSums& sums) {
  return {{"worlds", sums.worlds},
          {"violations", sums.failures},
          {"digest", fmt::format("{:016x}", sums.digest)},
          {"steps", sums.all.steps},
          {"records", sums.all.records},
          {"programs", sums.all.starts},
          {"crashes", sums.all.crashes},
          {"virtual_seconds", sums.all.lasted.ToSeconds()},
          {"work_lost_seconds", sums.all.cut.ToSeconds()}};
}

void SimulateWorld(const WorldFlags& flags, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  Policy policy;
  policy.faults.xids = XidRules();
  WorldSums sums;
  Progress progress(ProgressOn(cli));
  const DoneWatch show = ShowPart(progress);
  for (uint64_t i = 0; i < flags.seeds && sums.failures.size() < kFailuresMax; ++i) {
    if (const Status played = PlayOne(flags.seed + i, policy, flags, sums); !played)
      return cli.Complain(played.error());
    show(static_cast<double>(i + 1) / static_cast<double>(flags.seeds));
  }
  progress.Clear();
  if (!sums.failures.empty()) cli.exit_code = kExitInternal;
  if (cli.PrintDocument(WorldDocument(sums))) return;
  for (const std::string& failure : sums.failures) fmt::print("{}\n", failure);
  fmt::print(
      "{} worlds, {} violations; {} steps, {} records, {} programs, {} crashes of the controller, "
      "{} of virtual time; digest {:016x}\n",
      sums.worlds, sums.failures.size(), sums.all.steps, sums.all.records, sums.all.starts,
      sums.all.crashes, ToText(sums.all.lasted), sums.digest);
}

}  // namespace

void AddSimulateWorld(CLI::App& simulate, Cli& cli) {
  CLI::App* world = simulate.add_subcommand("world",
                                            "Simulate the whole system under faults of every kind, "
                                            "with checkers that know the true state");
  auto flags = std::make_shared<WorldFlags>();
  world->add_option("--seed", flags->seed, "Seed of the first world");
  world->add_option("--seeds", flags->seeds, "Worlds, each with the next seed")
      ->check(CLI::Range(1, 100'000'000));
  world
      ->add_option("--controllers", flags->controllers,
                   "Controllers that share their log, and have mishaps of their own if there are "
                   "several")
      ->check(CLI::Range(1, 7));
  world->add_option("--jobs", flags->jobs, "Only these of its jobs, by position: 3,5; none")
      ->type_name("LIST");
  world->add_option("--mishaps", flags->mishaps, "Only these of its mishaps")->type_name("LIST");
  world->add_flag("--twice", flags->twice,
                  "Simulate each world twice: the results must be the same");
  world->add_flag("--shrink", flags->shrink,
                  "Shrink a world that breaks a rule as far as possible");
  world->callback([flags, &cli] { SimulateWorld(*flags, cli); });
}

}  // namespace gp
