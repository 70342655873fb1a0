#include "simulation/scenario/rehearsal.h"

#include "base/ignore_result.h"
#include "simulation/engine/engine.h"

namespace gp {
namespace {

void Begin(const RunSteps& nodes, Engine& engine) {
  for (const RunStep& step : nodes) {
    engine.AdvanceTo(step.at);
    if (const auto* node = std::get_if<NodeArrival>(&step.what)) engine.AddNode(*node->facts);
    if (const auto* command = std::get_if<Command>(&step.what))
      IgnoreResult(engine.Execute(*command), "a refusal is part of the experiment");
  }
}

void MakeWhatEventsMake(const Scenario& scenario, Engine& engine) {
  for (const ScenarioEvent& event : scenario.events) {
    if (const auto* queue = std::get_if<SetQueue>(&event.what))
      IgnoreResult(engine.Execute(*queue), "a refusal is part of the experiment");
  }
}

}  // namespace

std::vector<ScenarioFault> Rehearse(const Scenario& scenario, const RunSteps& nodes) {
  using enum ScenarioFault::Part;
  Engine engine;
  Begin(nodes, engine);
  std::vector<ScenarioFault> faults;
  for (size_t i = 0; i < scenario.queues.size(); ++i) {
    const auto set = engine.Execute(scenario.queues[i]);
    if (!set) faults.push_back({kQueues, i, set.error()});
  }
  if (!faults.empty()) return faults;
  MakeWhatEventsMake(scenario, engine);
  for (size_t i = 0; i < scenario.jobs.size(); ++i) {
    JobSpec one = *scenario.jobs[i].spec;  // the first element of an array is enough
    one.policy.array = {};
    const auto job =
        engine.Submit(std::make_shared<const JobSpec>(std::move(one)), scenario.jobs[i].user);
    if (!job) faults.push_back({kJobs, i, job.error()});
  }
  for (size_t i = 0; i < scenario.traces.size(); ++i) {
    const auto job = engine.Submit(scenario.traces[i].spec, scenario.traces[i].user);
    if (!job) faults.push_back({kTraces, i, job.error()});
  }
  return faults;
}

}  // namespace gp
