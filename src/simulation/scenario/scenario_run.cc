#include "simulation/scenario/scenario_run.h"

#include <algorithm>
#include <iterator>

#include "domain/model/jobs/array.h"
#include "simulation/scenario/event_commands.h"
#include "simulation/scenario/job_arrivals.h"
#include "simulation/scenario/node_arrivals.h"
#include "simulation/scenario/rehearsal.h"

namespace gp {
namespace {

// The steps of the recorded run that are played.
RunSteps StepsOf(const JournalGroup& journal) {
  RunSteps steps = journal.run.steps;
  if (!journal.nodes)
    std::erase_if(
        steps, [](const RunStep& step) { return std::holds_alternative<NodeArrival>(step.what); });
  return steps;
}

// The names and ids of the recorded run keep their meaning.
ScenarioIds IdsOf(const RunSteps& recorded) {
  ScenarioIds ids;
  for (const RunStep& step : recorded) {
    if (const auto* node = std::get_if<NodeArrival>(&step.what)) {
      ids.next_node.value = std::max(ids.next_node.value, node->id.value + 1);
      ids.nodes[node->facts->name] = {node->id, node->facts};
    } else if (const auto* job = std::get_if<JobArrival>(&step.what)) {
      ids.next_job.value = std::max(ids.next_job.value, Behind(job->id, *job->spec).value);
      ids.jobs[ToText(job->id)] = job->id;
    }
  }
  return ids;
}

void AddEvents(const Scenario& scenario, Instant begin, const ScenarioIds& ids, RunSteps& steps,
               std::vector<ScenarioFault>& faults) {
  for (size_t i = 0; i < scenario.events.size(); ++i) {
    auto step = StepOf(scenario.events[i], ids);
    if (step) {
      steps.push_back({begin + scenario.events[i].at, std::move(*step)});
    } else {
      faults.push_back({ScenarioFault::Part::kEvents, i, step.error()});
    }
  }
}

}  // namespace

std::expected<ScenarioRun, std::vector<ScenarioFault>> MakeRun(const Scenario& scenario) {
  ScenarioRun run;
  run.options.policy = scenario.policy;
  run.options.resume_cost = scenario.resume_cost;
  if (scenario.journal) run.steps = StepsOf(*scenario.journal);
  const Instant begin = run.steps.empty() ? kScenarioBegin : run.steps.front().at;
  if (scenario.until) run.options.until = begin + *scenario.until;
  ScenarioIds ids = IdsOf(run.steps);
  if (run.steps.empty()) run.steps.push_back({begin, StartController{}});
  AddNodes(scenario, begin, ids, run.steps);
  // The queues of a recorded cluster are known only when it is played.
  std::vector<ScenarioFault> faults =
      scenario.journal ? std::vector<ScenarioFault>() : Rehearse(scenario, run.steps);
  for (const SetQueue& queue : scenario.queues) run.steps.push_back({begin, queue});
  RunSteps arrivals;
  AddJobs(scenario, begin, ids, arrivals, faults);
  AddEvents(scenario, begin, ids, run.steps, faults);
  if (!faults.empty()) return std::unexpected(std::move(faults));
  std::ranges::move(arrivals, std::back_inserter(run.steps));
  std::ranges::stable_sort(run.steps, {}, &RunStep::at);
  return run;
}

}  // namespace gp
