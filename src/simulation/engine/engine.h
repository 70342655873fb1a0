#pragma once

// The production engine without the world around it: commands in, events applied and checked, time
// as it is told.  Nothing is journaled.

#include <optional>
#include <string>
#include <vector>

#include "domain/cluster/command.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state.h"
#include "domain/scheduling/planner.h"

namespace gp {

class Engine {
 public:
  // As the controller does: decides, applies, and asserts the invariants of what was touched.
  Result<std::vector<Event>> Execute(Command command, std::string principal = "simulation");
  // One pass, committed as planned.
  Plan Pass();

  // A node whose GPUs are all in service.
  NodeId AddNode(const NodeFacts& facts);
  // Its agent reports that all its GPUs are well.
  void ReportHealthy(const Node& node);
  Result<JobId> Submit(std::shared_ptr<const JobSpec> spec, const User& user);
  // The job's ranks report that they run; that they have ended well; that they have stopped when
  // told to.
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
