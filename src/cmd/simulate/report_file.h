#pragma once

// `--report FILE.html` of commands that simulate runs.

#include <string>

#include "adapters/outbound/report/html_report.h"
#include "cmd/cli.h"

namespace gp {

void AddReportFlag(CLI::App& sub, std::string& file);
// Prints where the report is.
Status WriteReport(const RunReport& report, const std::string& file, const Cli& cli);

}  // namespace gp
