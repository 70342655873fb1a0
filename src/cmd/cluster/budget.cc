// Monthly budgets of queues and users (docs/cost.md).

#include <fmt/format.h>

#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/text/hundredths.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

// Runs before the number is parsed, so that a fraction gets a helpful message.
CLI::Validator WholeHours() {
  return {[](const std::string& text) -> std::string {
            const auto hours = ParseCount(text);
            return hours && *hours >= 0
                       ? ""
                       : "a whole number of GPU-hours, at least 1 (0: no limit), not \"" +
                             Printable(text, 40) + "\"; --money takes fractions";
          },
          ""};
}

template <typename Request>
void AddOwner(CLI::App& sub, const std::shared_ptr<Request>& request) {
  sub.add_option_function<std::string>(
         "--queue", [request](const std::string& queue) { request->set_queue(queue); },
         "Budget of this queue and those below it; default: all queues")
      ->type_name("QUEUE");
  sub.add_option_function<std::string>(
         "--user", [request](const std::string& user) { request->set_user(user); },
         "Budget of this user, or of each user: \"*\"; default: all users together")
      ->type_name("USER");
  sub.add_option_function<std::string>(
         "--pool", [request](const std::string& pool) { request->set_pool(pool); },
         "Only GPUs of this pool count; default: all")
      ->type_name("POOL");
}

std::string Whose(const v1::Budget& budget) {
  std::string text = budget.queue().empty() ? "all queues" : budget.queue();
  if (!budget.user().empty()) text += budget.user() == "*" ? ", each user" : ", " + budget.user();
  if (!budget.pool().empty()) text += ", pool " + budget.pool();
  return text;
}

// A small amount is not shown as 0.
std::string Used(double used, bool has_limit, const std::string& limit) {
  constexpr double kRoundedUp = 0.005;
  return (used > 0 && used < kRoundedUp ? "<0.01" : Hundredths(used)) +
         (has_limit ? "/" + limit : "");
}

std::string ExpectedText(const v1::BudgetStanding& standing) {
  return standing.too_early() ? kDash : fmt::format("{}%", standing.expected_percent());
}

void Print(const v1::ListBudgetsReply& reply, Cli& cli) {
  if (cli.PrintDocument(reply)) return;
  Table table({{"BUDGET"},
               {"USER"},
               {"GPU-HOURS", true},
               {reply.currency(), true},
               {"USED", true},
               {"EXPECTED", true},
               {"USED UP"},
               {"THEN"}});
  for (const v1::Budget& budget : reply.budgets()) {
    for (const v1::BudgetStanding& standing : budget.standings()) {
      table.Add(
          {Whose(budget), standing.user().empty() ? "all" : standing.user(),
           Used(standing.gpu_hours(), budget.gpu_hours() > 0, std::to_string(budget.gpu_hours())),
           Used(standing.cost(), budget.money() > 0, fmt::format("{:.2f}", budget.money())),
           fmt::format("{}%", standing.percent()), ExpectedText(standing),
           standing.used_up_at().empty() ? kDash : standing.used_up_at(), budget.over()});
    }
    if (budget.standings().empty()) {
      table.Add({Whose(budget), kDash,
                 Used(0, budget.gpu_hours() > 0, std::to_string(budget.gpu_hours())),
                 Used(0, budget.money() > 0, fmt::format("{:.2f}", budget.money())), "0%", kDash,
                 kDash, budget.over()});
    }
  }
  cli.PrintTable(table);
}

template <typename Request>
void CallAndPrintBudgets(const char* method, const Request& request, Cli& cli) {
  if (!cli.Offers({"table", "csv"})) return;
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto reply = (*client)->Call<v1::ListBudgetsReply>(method, request);
  if (!reply) return cli.Complain(reply.error());
  Print(*reply, cli);
}

void AddBudgetSet(CLI::App& budget, Cli& cli) {
  CLI::App* sub =
      budget.add_subcommand("set", "Create or change a budget; values that are not given stay");
  auto request = std::make_shared<v1::SetBudgetRequest>();
  AddOwner(*sub, request);
  sub->add_option_function<int64_t>(
         "--gpu-hours", [request](int64_t hours) { request->set_gpu_hours(hours); },
         "GPU-hours in a month; 0: no limit")
      ->type_name("N")
      ->check(WholeHours());
  sub->add_option_function<double>(
         "--money", [request](double money) { request->set_money(money); },
         "Cost in a month; 0: no limit")
      ->type_name("AMOUNT");
  sub->add_option_function<std::vector<int>>(
         "--warn-at",
         [request](const std::vector<int>& levels) {
           request->mutable_warn_at()->Add(levels.begin(), levels.end());
         },
         "Warn at these percentages of the budget; default: 50,80,100")
      ->delimiter(',')
      ->type_name("N,...");
  sub->add_option_function<std::string>(
         "--over", [request](const std::string& over) { request->set_over(over); },
         "When the budget is used up: warn, demote or refuse new jobs, or hold: also stop running "
         "jobs, and all wait for the next month; default: warn")
      ->type_name("WORD:{warn,demote,refuse,hold}");
  sub->callback([request, &cli] { CallAndPrintBudgets("SetBudget", *request, cli); });
}

}  // namespace

void AddBudget(CLI::App& app, Cli& cli) {
  CLI::App* budget =
      app.add_subcommand("budget", "Monthly budgets of queues and users: list, set, delete");
  budget->require_subcommand(1);
  budget->add_subcommand("list", "List budgets and how much of each is used")->callback([&cli] {
    CallAndPrintBudgets("ListBudgets", v1::ListBudgetsRequest(), cli);
  });
  AddBudgetSet(*budget, cli);
  CLI::App* sub = budget->add_subcommand("delete", "Delete a budget");
  auto request = std::make_shared<v1::DeleteBudgetRequest>();
  AddOwner(*sub, request);
  sub->callback([request, &cli] { CallAndPrintBudgets("DeleteBudget", *request, cli); });
}

}  // namespace gp
