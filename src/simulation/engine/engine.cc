#include "simulation/engine/engine.h"

#include <algorithm>

#include "base/assert.h"
#include "domain/cluster/apply/apply.h"
#include "domain/cluster/check/invariants.h"
#include "domain/cluster/decide/decide.h"
#include "domain/cluster/nodes/report_of.h"

namespace gp {

Result<std::vector<Event>> Engine::Execute(Command command, std::string principal) {
  std::vector<Event> events =
      GP_TRY(Decide(state_, {now_, std::move(principal), "", std::move(command)}));
  for (const Event& event : events) Apply(state_, now_, event);
  for (const Violation& violation : CheckDelta(state_, events)) {
    AssertFailed(violation.detail.c_str(), violation.rule.c_str(), __FILE__, __LINE__);
  }
  return events;
}

Plan Engine::Pass() {
  Plan plan = planner_.Schedule(state_, now_);
  const auto commit = [this](Command command) {
    GP_ASSERT(Execute(std::move(command), "scheduler").has_value(),
              "a plan is committed as planned");
  };
  for (const Plan::Step& step : plan.steps) commit(ToCommand(step));
  return plan;
}

NodeId Engine::AddNode(const NodeFacts& facts) {
  JoinNode join;
  join.facts = std::make_shared<const NodeFacts>(facts);
  join.incarnation = 1;
  join.fresh = true;
  GP_ASSERT(Execute(std::move(join)).has_value(), "a node of a simulation joins");
  const NodeId id = state_.nodes.by_name.at(facts.name);
  ReportHealthy(*state_.FindNode(id));
  return id;
}

void Engine::ReportHealthy(const Node& node) {
  ReportNode report{node.id, node.incarnation, {}, {}};
  for (const LeaseId id : node.leases) {
    LeaseObservation seen;
    seen.lease = id;
    seen.running = state_.FindLease(id)->phase == LeasePhase::kStarted;
    seen.started_at = WallOf(state_.time, now_);
    report.leases.push_back(seen);
  }
  for (int gpu = 0; gpu < static_cast<int>(node.gpus.size()); ++gpu)
    report.gpus.push_back({gpu, true, false, ""});
  const NodeId id = node.id;
  GP_ASSERT(Execute(std::move(report)).has_value(), "a node of a simulation reports");
  GP_ASSERT(Execute(TasksDone(state_, id)).has_value(), "a node of a simulation tests its GPUs");
}

Result<JobId> Engine::Submit(std::shared_ptr<const JobSpec> spec, const User& user) {
  const JobId next{state_.jobs.last + 1};
  GP_CHECK_OK(Execute(SubmitJob{std::move(spec), user}));
  return next;
}

void Engine::Start(JobId job) { Report(job, std::nullopt); }

void Engine::Finish(JobId job) { Report(job, LeaseEnd::kExited); }

void Engine::Stop(JobId job) { Report(job, LeaseEnd::kStopped); }

void Engine::Report(JobId job, std::optional<LeaseEnd> end) {
  const std::vector<LeaseId> leases = state_.FindJob(job)->leases;
  for (const LeaseId id : leases) {
    const Node& node = *state_.FindNode(state_.FindLease(id)->node);
    if (node.condition == NodeCondition::kLost) continue;  // no agent is there to report
    GP_ASSERT(Execute(ReportOf(state_, now_, id, end)).has_value(),
              "a node of a simulation reports");
  }
}

}  // namespace gp
