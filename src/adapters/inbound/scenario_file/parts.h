#pragma once

// The parts of a scenario file, each read by itself.  What is wrong is in the report afterwards.

#include "adapters/inbound/job_file/yaml_tree.h"
#include "adapters/inbound/scenario_file/scenario_file.h"

namespace gp {

// A scenario that is being read, and where its entries stand.
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

// One queue, as a scenario's queues and events have it.
SetQueue ReadQueue(const YamlNode& map, Report& report);
// "30m", {mean: 30m} or {median: 20m, p90: 6h}.
Draw ReadDraw(const YamlNode& value, std::string_view name, Report& report);

}  // namespace gp
