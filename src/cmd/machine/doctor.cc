#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

#include "adapters/wire/documents/document.h"
#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/connection/state_place.h"
#include "cmd/machine/doctor_checks.h"

namespace gp {
namespace {

const char* WordFor(Finding finding) {
  switch (finding) {
    case Finding::kOk: return "ok";
    case Finding::kWarn: return "WARN";
    case Finding::kFail: return "FAIL";
  }
  return "?";
}

void PrintChecks(const std::vector<DoctorCheck>& checks) {
  for (const DoctorCheck& check : checks) {
    std::printf("%-4s  %-11s %s\n", WordFor(check.finding), check.name.c_str(),
                Printable(check.what, 1'000).c_str());
    if (!check.fix.empty()) std::printf("      %-11s fix: %s\n", "", check.fix.c_str());
  }
}

nlohmann::ordered_json Document(const std::vector<DoctorCheck>& checks) {
  nlohmann::ordered_json document{{"checks", nlohmann::ordered_json::array()}};
  for (const DoctorCheck& check : checks) {
    document["checks"].push_back({{"name", check.name},
                                  {"result", WordFor(check.finding)},
                                  {"what", check.what},
                                  {"fix", check.fix}});
  }
  return document;
}

void Examine(const DoctorPlaces& places, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  // Isolation is checked first, because it forks; the report goes from the controller to this
  // machine.
  std::vector<DoctorCheck> isolation = CheckIsolation();
  std::ranges::move(CheckFeatures(places.state), std::back_inserter(isolation));
  std::vector<DoctorCheck> checks = CheckCluster(places.server);
  checks.push_back(CheckDriver(places.nvml));
  checks.push_back(CheckMps());
  checks.push_back(CheckHost());
  checks.insert(checks.end(), isolation.begin(), isolation.end());
  checks.push_back(CheckCgroups());
  checks.push_back(CheckServiceUser(places.service_user));
  // Without a path it is on another machine
  if (!places.state.empty()) checks.push_back(CheckState(places.state));
  int warnings = 0;
  int failures = 0;
  for (const DoctorCheck& check : checks) {
    warnings += check.finding == Finding::kWarn ? 1 : 0;
    failures += check.finding == Finding::kFail ? 1 : 0;
  }
  if (!cli.PrintDocument(Document(checks))) {
    PrintChecks(checks);
    std::printf("\n%zu checks: %d FAIL, %d WARN\n", checks.size(), failures, warnings);
  }
  if (failures > 0) cli.exit_code = kExitUnhealthy;
}

}  // namespace

void AddDoctor(CLI::App& app, Cli& cli) {
  CLI::App* sub = app.add_subcommand("doctor",
                                     "Check controller, agents and this machine, with a fix for "
                                     "each problem; exit code 9 if a check fails");
  auto places = std::make_shared<DoctorPlaces>();
  places->service_user = "gpu-job";
  sub->add_option("--state", places->state,
                  "The controller's state directory; default: that of the controller in use")
      ->type_name("DIRECTORY");
  sub->add_option("--service-user", places->service_user,
                  "User that runs the jobs that root submits")
      ->type_name("NAME");
  sub->add_option("--nvml", places->nvml, "NVML library to load")->type_name("FILE");
  sub->callback([places, &cli] {
    places->server = cli.server;
    if (places->state.empty()) places->state = StatePlace(cli.server).value_or("");
    Examine(*places, cli);
  });
}

}  // namespace gp
