#pragma once

// The external input of a run, recorded or invented: nodes, jobs with their lengths, commands of
// users and operators, faults.  The scheduler's decisions are not part of it.

#include <memory>
#include <variant>
#include <vector>

#include "domain/cluster/command.h"

namespace gp {

// A node joins.  If it is lost, it comes back with this step, with a fresh agent.
struct NodeArrival {
  NodeId id;  // its id in other steps
  std::shared_ptr<const NodeFacts> facts;
};

struct JobArrival {
  JobId id;  // its id, or its array's id, in other steps
  std::shared_ptr<const JobSpec> spec;
  User user;
  Duration length;  // time on its GPUs; over all attempts if it keeps its work
  // Work up to a multiple of this survives the loss of a node; 0: none does.
  Duration checkpoint_every;
  std::vector<Duration> lengths = {};  // of an array: for each element; empty: `length`
};

struct RunStep {
  Instant at;
  std::variant<NodeArrival, JobArrival, Command> what;
};

// Sorted by time.
using RunSteps = std::vector<RunStep>;

}  // namespace gp
