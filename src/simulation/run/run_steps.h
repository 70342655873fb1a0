#pragma once

// What comes to a cluster from outside in a run, recorded or invented: nodes, jobs with the time
// they take, what people ask for, what breaks.  How the scheduler answers is not in it.

#include <memory>
#include <variant>
#include <vector>

#include "domain/cluster/command.h"

namespace gp {

// A node that is lost comes back with this, fresh.
struct NodeArrival {
  NodeId id;  // what other steps call it
  std::shared_ptr<const NodeFacts> facts;
};

struct JobArrival {
  JobId id;  // what other steps call it, or the array that it is
  std::shared_ptr<const JobSpec> spec;
  User user;
  Duration length;  // on its GPUs, over all attempts where it keeps its work
  // Of its work, what it has by then outlives a lost node; 0: nothing does
  Duration checkpoint_every;
  std::vector<Duration> lengths = {};  // of an array: of each element; empty: `length`
};

struct RunStep {
  Instant at;
  std::variant<NodeArrival, JobArrival, Command> what;
};

// In order.
using RunSteps = std::vector<RunStep>;

}  // namespace gp
