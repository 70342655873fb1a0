#pragma once

// A run, or several versions of one side by side, as one self-contained HTML page: no network, no
// script; light or dark as the reader's system is set.

#include <string>
#include <vector>

#include "adapters/outbound/report/wait_plot.h"
#include "simulation/run/run_figures.h"
#include "simulation/run/run_series.h"

namespace gp {

struct ReportRun {
  std::string name;
  RunFigures figures;
  RunSeries series;
  std::vector<QueueWaits> waits;
};

struct RunReport {
  std::string title;
  std::vector<std::string> notes;  // a paragraph each
  std::vector<ReportRun> runs;
  std::string source_title;  // name of the scenario: "two-teams.yaml"
  std::string source;        // its text; empty: none
};

std::string HtmlReport(const RunReport& report);

// The waits of jobs that started; the queues with the most jobs come first.
std::vector<QueueWaits> WaitsOf(const std::vector<JobLife>& lives);

}  // namespace gp
