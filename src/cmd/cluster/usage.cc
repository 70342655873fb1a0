// Where the time of GPUs went and what it cost (docs/cost.md).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "cmd/cli.h"
#include "cmd/text/hundredths.h"
#include "domain/metering/break_even.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

using UsageRequest = v1::GetUsageRequest;

const std::map<std::string, UsageRequest::By> kBy = {
    {"kind", UsageRequest::KIND},   {"day", UsageRequest::DAY},     {"pool", UsageRequest::POOL},
    {"model", UsageRequest::MODEL}, {"queue", UsageRequest::QUEUE}, {"user", UsageRequest::USER},
};

std::string Hours(double hours) { return Hundredths(hours); }
std::string Part(double part) { return fmt::format("{:.1f}%", 100 * part); }
std::string Amount(double cost, const std::string& currency) {
  return Hundredths(cost) + " " + currency;
}
std::string NameOrDash(const std::string& text) { return text.empty() ? kDash : text; }

void AddFilters(CLI::App& sub, const std::shared_ptr<UsageRequest>& request) {
  sub.add_option_function<std::string>(
         "--from", [request](const std::string& day) { request->set_from(day); },
         "First day (UTC); default: the first of this month")
      ->type_name("DAY");
  sub.add_option_function<std::string>(
         "--until", [request](const std::string& day) { request->set_until(day); },
         "Last day; default: today")
      ->type_name("DAY");
  sub.add_option_function<std::string>(
         "--queue", [request](const std::string& queue) { request->set_queue(queue); },
         "Only jobs of this queue, and of those below it")
      ->type_name("QUEUE");
  sub.add_option_function<std::string>(
         "--user", [request](const std::string& user) { request->set_user(user); },
         "Only this user's jobs")
      ->type_name("USER");
  sub.add_option_function<std::string>(
         "--pool", [request](const std::string& pool) { request->set_pool(pool); },
         "Only GPUs of this pool")
      ->type_name("POOL");
}

using Columns = std::vector<UsageRequest::By>;

std::shared_ptr<Columns> AddBy(CLI::App& sub, const std::string& otherwise) {
  auto by = std::make_shared<Columns>();
  sub.add_option_function<std::vector<std::string>>(
         "--by",
         [by](const std::vector<std::string>& words) {
           for (const std::string& word : words) {
             if (!kBy.contains(word))
               throw CLI::ValidationError(
                   "--by", "\"" + word + "\"; there are kind, day, pool, model, queue and user");
             if (std::ranges::find(*by, kBy.at(word)) == by->end()) by->push_back(kBy.at(word));
           }
         },
         "Group rows by these; default: " + otherwise)
      ->delimiter(',')
      ->type_name("WORD,...:{kind,day,pool,model,queue,user}");
  return by;
}

Result<v1::Usage> Fetch(const UsageRequest& request, Cli& cli) {
  ControlClient* client = GP_TRY(cli.Controller());
  return client->Call<v1::Usage>("GetUsage", request);
}

// The key of a group of rows, in words.
const std::map<UsageRequest::By, std::pair<const char*, std::string (*)(const v1::UsageRow&)>>
    kColumns = {
        {UsageRequest::DAY, {"DAY", [](const v1::UsageRow& row) { return row.day(); }}},
        {UsageRequest::KIND, {"KIND", [](const v1::UsageRow& row) { return row.kind(); }}},
        {UsageRequest::POOL, {"POOL", [](const v1::UsageRow& row) { return row.pool(); }}},
        {UsageRequest::MODEL, {"MODEL", [](const v1::UsageRow& row) { return row.model(); }}},
        {UsageRequest::QUEUE,
         {"QUEUE", [](const v1::UsageRow& row) { return NameOrDash(row.queue()); }}},
        {UsageRequest::USER,
         {"USER", [](const v1::UsageRow& row) { return NameOrDash(row.user()); }}},
};

// The columns by which rows are grouped, and those that all rows have.
Table TableOf(const v1::Usage& usage, const Columns& by) {
  std::vector<Column> columns;
  for (const UsageRequest::By one : by) columns.push_back({kColumns.at(one).first});
  columns.insert(columns.end(), {{"GPU-HOURS", true}, {"PART", true}, {"COST", true}});
  Table table(std::move(columns));
  for (const v1::UsageRow& row : usage.rows()) {
    Cells cells;
    for (const UsageRequest::By one : by) cells.push_back(kColumns.at(one).second(row));
    cells.insert(cells.end(), {{Hours(row.gpu_hours()), row.gpu_hours()},
                               {Part(row.part()), 100 * row.part()},
                               {Amount(row.cost(), usage.currency()), row.cost()}});
    table.Add(std::move(cells));
  }
  return table;
}

// Of the days that were asked for.
void SaySum(const v1::Usage& usage, double hours, double cost, Cli& cli) {
  cli.Say(fmt::format("{} to {}: {} GPU-hours, {}", usage.from(), usage.until(), Hours(hours),
                      Amount(cost, usage.currency())));
  if (hours > 0 && cost == 0)
    cli.Say("no prices are set: set prices in the policy file (gpu-platform config show)");
}

void Print(const v1::Usage& usage, const Columns& by, Cli& cli) {
  if (cli.PrintDocument(usage)) return;
  cli.PrintTable(TableOf(usage, by));
  SaySum(usage, usage.gpu_hours(), usage.cost(), cli);
}

void AddUsage(CLI::App& app, Cli& cli) {
  CLI::App* sub =
      app.add_subcommand("usage", "Show GPU time by use: jobs, idle, faults, maintenance");
  auto request = std::make_shared<UsageRequest>();
  const auto by = AddBy(*sub, "kind");
  AddFilters(*sub, request);
  sub->callback([request, by, &cli] {
    if (!cli.Offers({"table", "csv"})) return;
    if (by->empty() || std::ranges::find(*by, UsageRequest::KIND) == by->end())
      by->push_back(UsageRequest::KIND);
    for (const UsageRequest::By one : *by) request->add_by(one);
    const auto usage = Fetch(*request, cli);
    if (!usage) return cli.Complain(usage.error());
    Print(*usage, *by, cli);
  });
}

// What jobs had.
void AddReport(CLI::App& cost, Cli& cli) {
  CLI::App* sub =
      cost.add_subcommand("report", "Report GPU time of jobs and its cost, by queue and user");
  auto request = std::make_shared<UsageRequest>();
  const auto by = AddBy(*sub, "queue,user");
  AddFilters(*sub, request);
  sub->callback([request, by, &cli] {
    if (!cli.Offers({"table", "csv"})) return;
    if (by->empty()) *by = {UsageRequest::QUEUE, UsageRequest::USER};
    std::erase(*by, UsageRequest::KIND);  // jobs' alone
    for (const UsageRequest::By one : *by) request->add_by(one);
    auto usage = Fetch(*request, cli);
    if (!usage) return cli.Complain(usage.error());
    if (cli.PrintDocument(*usage)) return;
    std::vector<Column> columns;
    for (const UsageRequest::By one : *by) columns.push_back({kColumns.at(one).first});
    columns.insert(columns.end(), {{"GPU-HOURS", true}, {"COST", true}});
    Table table(std::move(columns));
    double hours = 0, all = 0;
    for (const v1::UsageRow& row : usage->rows()) {
      if (row.kind() != "jobs") continue;
      Cells cells;
      for (const UsageRequest::By one : *by) cells.push_back(kColumns.at(one).second(row));
      cells.insert(cells.end(), {{Hours(row.gpu_hours()), row.gpu_hours()},
                                 {Amount(row.cost(), usage->currency()), row.cost()}});
      table.Add(std::move(cells));
      hours += row.gpu_hours();
      all += row.cost();
    }
    cli.PrintTable(table);
    SaySum(*usage, hours, all, cli);
  });
}

struct KindText {
  const char* kind;
  const char* meaning;
};

constexpr std::array kKinds = {
    KindText{"jobs", "granted to jobs"},
    KindText{"repeated", "lost to faults and repeated; not charged to its user"},
    KindText{"idle", "could have been granted whole"},
    KindText{"fragment", "free rest of GPUs that are shared"},
    KindText{"faulty", "out of service by a fault, or being tested"},
    KindText{"maintained", "drained or taken out of service by an operator"},
};

void AddAnalysis(CLI::App& cost, Cli& cli) {
  CLI::App* sub = cost.add_subcommand(
      "analysis", "Analyze the time of all GPUs, and how much of it was wasted");
  auto request = std::make_shared<UsageRequest>();
  AddFilters(*sub, request);
  sub->callback([request, &cli] {
    if (!cli.Offers({"table", "csv"})) return;
    const auto usage = Fetch(*request, cli);
    if (!usage) return cli.Complain(usage.error());
    if (cli.PrintDocument(*usage)) return;
    std::map<std::string, const v1::UsageRow*> rows;
    for (const v1::UsageRow& row : usage->kinds()) rows[row.kind()] = &row;
    Table table({{"KIND"}, {"GPU-HOURS", true}, {"PART", true}, {"COST", true}, {"MEANING"}});
    for (const KindText& text : kKinds) {
      const auto row = rows.find(text.kind);
      static const v1::UsageRow kNone;
      const v1::UsageRow& found = row == rows.end() ? kNone : *row->second;
      table.Add({text.kind, Hours(found.gpu_hours()), Part(found.part()),
                 Amount(found.cost(), usage->currency()), text.meaning});
    }
    cli.PrintTable(table);
    SaySum(*usage, usage->gpu_hours(), usage->cost(), cli);
  });
}

std::string Hundredths(int64_t number) {
  return fmt::format("{}.{:02}", number / 100, number % 100);
}

void PrintBreakEven(const OwnOrRented& costs, Cli& cli) {
  const auto found = BreakEvenOf(costs);
  if (!found) return cli.Complain(found.error());
  nlohmann::ordered_json document = {{"pays", found->has_value()}};
  if (*found) {
    document["months"] = static_cast<double>((*found)->hundredths_of_months) / 100;
    document["years"] = static_cast<double>((*found)->hundredths_of_years) / 100;
    document["saved_in_five_years"] = (*found)->saved_in_five_years;
  }
  if (cli.PrintDocument(document)) return;
  if (!*found) {
    std::printf("never: renting costs no more each month than owning\n");
    return;
  }
  std::printf("after %s months (%s years) owning has cost less than renting\n",
              Hundredths((*found)->hundredths_of_months).c_str(),
              Hundredths((*found)->hundredths_of_years).c_str());
  std::printf("after five years it has saved %lld\n",
              static_cast<long long>((*found)->saved_in_five_years));
}

void AddBreakEven(CLI::App& cost, Cli& cli) {
  CLI::App* sub = cost.add_subcommand(
      "break-even",
      "Compare the cost of owned and rented machines over time; no controller is needed");
  auto costs = std::make_shared<OwnOrRented>();
  sub->add_option("--purchase", costs->purchase, "Purchase price, in whole units of one currency")
      ->required()
      ->type_name("AMOUNT");
  sub->add_option("--own-monthly", costs->own_monthly,
                  "Power, cooling, space and people, each month")
      ->required()
      ->type_name("AMOUNT");
  sub->add_option("--rented-monthly", costs->rented_monthly,
                  "Rent of the same capacity, each month")
      ->required()
      ->type_name("AMOUNT");
  sub->callback([costs, &cli] { PrintBreakEven(*costs, cli); });
}

}  // namespace

void AddCosts(CLI::App& app, Cli& cli) {
  AddUsage(app, cli);
  CLI::App* cost = app.add_subcommand("cost", "Cost of GPU time: report, analysis, break-even");
  cost->require_subcommand(1);
  AddReport(*cost, cli);
  AddAnalysis(*cost, cli);
  AddBreakEven(*cost, cli);
}

}  // namespace gp
