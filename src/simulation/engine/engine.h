#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/cluster/command.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"
#include "domain/scheduling/planner.h"

namespace gp {

// The production engine alone: it decides commands, applies the events and checks the invariants.
// The caller sets the time.  Nothing is journaled.  Used by one thread.
class Engine {
 public:
  // As in the controller: decides, applies, and asserts the invariants of what the events touched.
  Result<std::vector<Event>> Execute(Command command, std::string principal = "simulation");
  // One scheduling pass; its plan is committed.
  Plan Pass();

  // Adds a node with all its GPUs in service.
  NodeId AddNode(const NodeFacts& facts);
  // Its agent reports that all its GPUs are healthy.
  void ReportHealthy(const Node& node);
  Result<JobId> Submit(std::shared_ptr<const JobSpec> spec, const User& user);
  // The job's ranks report that they run; that they have exited with success; that they have
  // stopped as ordered.
  void Start(JobId job);
  void Finish(JobId job);
  void Stop(JobId job);

  void AdvanceTo(Instant at) { now_ = at; }
  Instant now() const { return now_; }
  const State& state() const { return state_; }
  const Planner& planner() const { return planner_; }

 private:
  void Report(JobId job, std::optional<LeaseEnd> end);

  State state_;
  Planner planner_;
  Instant now_;
};

}  // namespace gp
