#include "cmd/simulate/run_versions.h"

#include <fmt/format.h>

#include "adapters/outbound/report/figure_rows.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

nlohmann::ordered_json FiguresDocument(const WaitFigures& wait) {
  return {{"started", wait.started},
          {"mean_s", wait.mean_s},
          {"median_s", wait.median_s},
          {"p95_s", wait.p95_s},
          {"max_s", wait.max_s}};
}

// Where there is one queue, its waits are those of all.
void AddQueues(std::vector<FigureRow> rows, Table& table) {
  if (rows.size() < 2) return;
  for (FigureRow& row : rows) {
    row[0] = "wait in " + row[0];
    table.Add({row.begin(), row.end()});
  }
}

}  // namespace

nlohmann::ordered_json ToDocument(const RunFigures& figures) {
  nlohmann::ordered_json queues = nlohmann::ordered_json::object();
  for (const auto& [queue, wait] : figures.by_queue) queues[queue] = FiguresDocument(wait);
  nlohmann::ordered_json document = {
      {"jobs", figures.jobs},
      {"ended", figures.ended},
      {"never_started", figures.never_started},
      {"preemptions", figures.preemptions},
      {"attempts_lost", figures.faults},
      {"wait", FiguresDocument(figures.wait)},
      {"wait_by_queue", queues},
      {"mean_turnaround_s", figures.mean_turnaround_s},
      {"span_h", figures.span_h},
      {"gpu_hours_held", figures.gpu_hours_held},
      {"gpu_hours_installed", figures.gpu_hours_installed},
      {"gpu_hours_idle_while_waiting", figures.gpu_hours_idle_while_waiting},
      {"utilization", figures.utilization},
      {"fragmentation", nullptr}};
  if (figures.fragmentation) document["fragmentation"] = *figures.fragmentation;
  if (!figures.cost) return document;
  document["cost"] = {{"installed", ToAmount(figures.cost->installed)},
                      {"held", ToAmount(figures.cost->held)},
                      {"models_without_price", figures.cost->models_without_price}};
  return document;
}

void PrintVersions(const std::vector<RunVersion>& versions, Cli& cli) {
  std::vector<Column> heads{{""}};
  std::vector<RunFigures> figures;
  for (const RunVersion& version : versions) {
    heads.push_back({version.name, true});
    figures.push_back(version.figures);
  }
  Table table(heads);
  for (const FigureRow& row : FigureRows(figures)) table.Add({row.begin(), row.end()});
  AddQueues(QueueRows(figures), table);
  cli.PrintTable(table);
  for (const std::string& model : ModelsWithoutPrice(figures))
    cli.Say("no --price for " + model + ": it is not included in the cost");
}

void AddPriceFlags(CLI::App& sub, PriceFlags& flags) {
  sub.add_option("--price", flags.prices,
                 "Price of a GPU-hour of a model, such as H100=2.50; once for each model")
      ->type_name("MODEL=AMOUNT");
}

Result<Prices> PricesFrom(const PriceFlags& flags) {
  Prices prices;
  for (const std::string& text : flags.prices) {
    if (const Status added = prices.Add(text); !added) return Fail(added.error().Within("--price"));
  }
  return prices;
}

}  // namespace gp
