#pragma once

// The results of one run, or of several versions of it side by side: figures as a table or
// document.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cmd/cli.h"
#include "simulation/run/run_figures.h"

namespace gp {

struct RunVersion {
  std::string name;  // "PLAYED AS IT WAS"
  RunFigures figures;
};

nlohmann::ordered_json ToDocument(const RunFigures& figures);
void PrintVersions(const std::vector<RunVersion>& versions, Cli& cli);

// `--price MODEL=AMOUNT`, once for each model.
struct PriceFlags {
  std::vector<std::string> prices;
};
void AddPriceFlags(CLI::App& sub, PriceFlags& flags);
Result<Prices> PricesFrom(const PriceFlags& flags);

}  // namespace gp
