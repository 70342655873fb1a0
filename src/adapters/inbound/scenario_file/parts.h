#pragma once

// The parts of a scenario file, each with its own function.  Problems are added to the report.

#include "adapters/inbound/scenario_file/scenario_file.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {

// A scenario while it is read, with the places of its entries.
struct ScenarioDraft {
  Scenario scenario;
  std::vector<Place> queues;
  std::vector<Place> jobs;
  std::vector<Place> traces;
  std::vector<Place> events;
  const ScenarioSources& sources;
  Report& report;
  std::map<std::string, User> users = {};
};

void ReadNodes(const YamlNode& list, ScenarioDraft& draft);
void ReadQueues(const YamlNode& list, ScenarioDraft& draft);
void ReadJobs(const YamlNode& list, ScenarioDraft& draft);
void ReadEvents(const YamlNode& list, ScenarioDraft& draft);

// One queue, as in the lists of queues and events.
SetQueue ReadQueue(const YamlNode& map, Report& report);
// "30m", {mean: 30m} or {median: 20m, p90: 6h}.
Draw ReadDraw(const YamlNode& value, std::string_view name, Report& report);

}  // namespace gp
