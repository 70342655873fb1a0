#pragma once

// `replay --what-if`: what another policy, or other nodes, would have made of a recorded run.

#include <memory>
#include <string>
#include <vector>

#include "cmd/simulate/run_versions.h"

namespace gp {

struct WhatIfFlags {
  std::string policy;              // a file
  std::vector<std::string> nodes;  // "+2xdgx-h100", "-n3"
  std::string resume_cost = "1m";
  PriceFlags prices;
  std::string report;
};

std::shared_ptr<WhatIfFlags> AddWhatIfFlags(CLI::App& replay);
bool IsRequested(const WhatIfFlags& flags);
void ReplayWhatIf(const std::string& journal, const WhatIfFlags& flags, Cli& cli);

}  // namespace gp
