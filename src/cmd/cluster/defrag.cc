// Fragmentation of free GPUs, and migrations that bring free GPUs together.

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>

#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/confirm.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

struct DefragFlags {
  std::vector<std::string> jobs;
  bool yes = false;
};

v1::PlanMovesRequest RequestOf(const DefragFlags& flags) {
  v1::PlanMovesRequest request;
  request.mutable_job_ids()->Assign(flags.jobs.begin(), flags.jobs.end());
  return request;
}

template <typename Texts>
std::string TextsOf(const Texts& texts) {
  return Join(std::vector<std::string>(texts.begin(), texts.end()), ", ");
}

void AddRow(Table& table, const std::string& what, const v1::Fragmentation& found) {
  const bool known = found.has_gpus_stranded();
  const double free = static_cast<double>(found.gpus_free());
  table.Add(
      {what, found.name(), found.pool(), std::to_string(found.gpus_free()),
       known ? fmt::format("{:.1f}", found.gpus_stranded()) : kDash,
       known && free > 0 ? fmt::format("{:.0f} %", 100 * found.gpus_stranded() / free) : kDash});
}

void PrintFragmentation(const v1::MovePlans& plans, Cli& cli) {
  Table table(
      {{"OF"}, {"NAME"}, {"POOL"}, {"FREE GPUS", true}, {"STRANDED", true}, {"FRAGMENTED", true}});
  for (const v1::Fragmentation& pool : plans.pools()) AddRow(table, "pool", pool);
  for (const v1::Fragmentation& queue : plans.queues()) AddRow(table, "queue", queue);
  cli.PrintTable(table);
}

std::string Text(const v1::MovePlan& plan) {
  std::string out =
      fmt::format("{} ({}) would start: {}\n", plan.job_id(), plan.user(), plan.placement());
  for (const v1::Move& move : plan.moves()) {
    out += fmt::format("  move {} ({})  {} -> {}\n", move.job_id(), move.user(),
                       TextsOf(move.places()), TextsOf(move.destination()));
  }
  out += fmt::format("  gains {:.2f} GPU-hours ({} less waiting, {}), costs {:.2f}\n",
                     plan.gain_gpu_hours(),
                     ToText(Duration::Seconds(static_cast<int64_t>(plan.wait_saved_seconds()))),
                     plan.is_wait_known() ? "by the time limits of running jobs"
                                          : "assuming it waits as long again",
                     plan.cost_gpu_hours());
  return out;
}

void PrintPlans(const v1::MovePlans& plans, const char* when_none) {
  if (plans.plans().empty()) std::printf("%s\n", when_none);
  for (const v1::MovePlan& plan : plans.plans()) Output::PrintText(Text(plan));
}

constexpr const char* kNothing =
    "No moves: no pending job would gain more than the moves cost, or no running job is movable.";

void ShowPlan(const DefragFlags& flags, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto plans = (*client)->Call<v1::MovePlans>("PlanMoves", RequestOf(flags));
  if (!plans) return cli.Complain(plans.error());
  if (cli.PrintDocument(*plans)) return;
  PrintFragmentation(*plans, cli);
  std::printf("\n");
  PrintPlans(*plans, kNothing);
}

// Moves interrupt other users' jobs: ask for confirmation first.
bool IsConfirmed(const DefragFlags& flags, const v1::MovePlans& plans, Cli& cli) {
  if (plans.plans().empty()) return true;
  if (!flags.yes && isatty(STDIN_FILENO) == 1) {
    PrintPlans(plans, kNothing);
    std::fflush(stdout);
  }
  return gp::IsConfirmed(cli, flags.yes, "this interrupts running jobs", "Start these moves?");
}

void Apply(const DefragFlags& flags, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto plans = (*client)->Call<v1::MovePlans>("PlanMoves", RequestOf(flags));
  if (!plans) return cli.Complain(plans.error());
  if (!IsConfirmed(flags, *plans, cli)) return;
  const auto ordered = (*client)->Call<v1::MovePlans>("ApplyMoves", RequestOf(flags));
  if (!ordered) return cli.Complain(ordered.error());
  if (!cli.PrintDocument(*ordered)) PrintPlans(*ordered, kNothing);
}

void AddJobs(CLI::App& sub, DefragFlags& flags) {
  sub.add_option("--job", flags.jobs, "Only moves for these pending jobs")
      ->delimiter(',')
      ->type_name("JOB,...");
}

}  // namespace

void AddDefrag(CLI::App& app, Cli& cli) {
  CLI::App* defrag = app.add_subcommand(
      "defrag", "Show fragmentation and propose migrations that bring free GPUs together");
  defrag->require_subcommand(1);
  auto flags = std::make_shared<DefragFlags>();
  CLI::App* plan = defrag->add_subcommand("plan",
                                          "Show the fragmentation of pools and queues, and "
                                          "migrations worth their cost; changes nothing");
  AddJobs(*plan, *flags);
  plan->callback([flags, &cli] { ShowPlan(*flags, cli); });
  CLI::App* apply = defrag->add_subcommand(
      "apply", "Migrate jobs that are `movable` to other GPUs, so that pending jobs start");
  AddJobs(*apply, *flags);
  apply->add_flag("--yes,-y", flags->yes, "Do not ask for confirmation");
  apply->callback([flags, &cli] { Apply(*flags, cli); });
}

}  // namespace gp
