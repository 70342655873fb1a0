// Monthly budgets of queues and users (docs/cost.md).

#include <fmt/format.h>

#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/list_tables.h"
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

// A small amount is not shown as 0, a large one without its fraction.
std::string AmountText(double amount) {
  constexpr double kRoundedUp = 0.005;
  constexpr double kLarge = 1'000;
  if (amount > 0 && amount < kRoundedUp) return "<0.01";
  return amount < kLarge ? Hundredths(amount) : fmt::format("{:.0f}", amount);
}

// Used, of the limit; 0: there is none.
Cell Used(double used, double limit) {
  return {AmountText(used) + (limit > 0 ? "/" + AmountText(limit) : ""), used};
}

// For CSV, where a cell is one number.
Cell LimitText(double limit) { return limit > 0 ? Cell(AmountText(limit), limit) : kDash; }

// The user of a row; in a budget of each user: "each: ana".
std::string UserText(const v1::Budget& budget, const std::string& user) {
  const std::string name = user.empty() ? "all" : user;
  return budget.user() == "*" ? "each: " + name : name;
}

std::string ExpectedText(const v1::BudgetStanding& standing) {
  return standing.too_early() ? kDash : fmt::format("{}%", standing.expected_percent());
}

std::string UsedUpText(const v1::BudgetStanding& standing) {
  if (standing.percent() >= 100) return "now";
  return standing.used_up_at().empty() ? kDash : standing.used_up_at();
}

}  // namespace

Table BudgetTable(const v1::ListBudgetsReply& reply) {
  Table table({{.title = "QUEUE"},
               {.title = "USER"},
               {.title = "POOL", .drop = 3},
               {.title = "GPU-HOURS", .right = true},
               {.title = reply.currency(), .right = true},
               {.title = "USED", .right = true},
               {.title = "EXPECTED", .right = true, .drop = 1},
               {.title = "USED UP", .drop = 2},
               {.title = "THEN"},
               {.title = "GPU-HOUR LIMIT", .right = true, .drop = 4, .wide = true},
               {.title = "COST LIMIT", .right = true, .drop = 5, .wide = true}});
  for (const v1::Budget& budget : reply.budgets()) {
    const std::string queue = budget.queue().empty() ? "all" : budget.queue();
    const std::string pool = budget.pool().empty() ? "all" : budget.pool();
    const auto hours_limit = static_cast<double>(budget.gpu_hours());
    for (const v1::BudgetStanding& standing : budget.standings()) {
      table.Add({queue, UserText(budget, standing.user()), pool,
                 Used(standing.gpu_hours(), hours_limit), Used(standing.cost(), budget.money()),
                 Cell(fmt::format("{}%", standing.percent()), standing.percent()),
                 ExpectedText(standing), UsedUpText(standing), budget.over(),
                 LimitText(hours_limit), LimitText(budget.money())});
    }
    if (budget.standings().empty())
      table.Add({queue, UserText(budget, budget.user() == "*" ? "" : budget.user()), pool,
                 Used(0, hours_limit), Used(0, budget.money()), Cell("0%", 0), kDash, kDash,
                 budget.over(), LimitText(hours_limit), LimitText(budget.money())});
  }
  return table;
}

namespace {

void Print(const v1::ListBudgetsReply& reply, Cli& cli) {
  if (!cli.PrintDocument(reply)) cli.PrintList(BudgetTable(reply), "budgets");
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
  cli.AddListFlags(budget->add_subcommand("list", "List budgets and how much of each is used"))
      ->callback([&cli] { CallAndPrintBudgets("ListBudgets", v1::ListBudgetsRequest(), cli); });
  AddBudgetSet(*budget, cli);
  CLI::App* sub = budget->add_subcommand("delete", "Delete a budget");
  auto request = std::make_shared<v1::DeleteBudgetRequest>();
  AddOwner(*sub, request);
  sub->callback([request, &cli] { CallAndPrintBudgets("DeleteBudget", *request, cli); });
}

}  // namespace gp
