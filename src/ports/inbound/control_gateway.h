#pragma once

// What others may ask of the controller.  All calls are for any thread.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state.h"

namespace gp {

// What became of a command, told once it is durable.
struct Outcome {
  Status status;
  std::vector<Event> events;
  JobId job;  // of SubmitJob: the job, the earlier one where the request was repeated
};

// Told on the writer's thread after every durable batch that changed something, or after a few
// together.
class CommitObserver {
 public:
  virtual ~CommitObserver() = default;
  virtual void OnCommit(const State& state, const std::vector<Event>& events) = 0;
};

struct Plan;

// What the rules do not ask of a command, but its sender does, of the state that it is decided on.
using Precondition = std::function<Status(const State&)>;

class ControlGateway {
 public:
  virtual ~ControlGateway() = default;

  // Blocks until durable or refused.  Errors beyond the rules' own: kUnavailable (inbox full).
  virtual Outcome Execute(Origin origin, std::string request_id, Command command) = 0;
  // Several at once, in order, each with its request id; as far as possible in one batch.
  // `precondition`, which may be empty, runs once on the writer's thread, just before the first of
  // them is decided; its error refuses them all.
  virtual std::vector<Outcome> ExecuteAll(Origin origin,
                                          std::vector<std::pair<std::string, Command>> commands,
                                          const Precondition& precondition) = 0;
  // Without waiting; `done`, which may be empty, runs on the writer's thread.
  virtual Status Post(Origin origin, Command command, std::function<void(const Outcome&)> done) = 0;
  // Blocks until `read` has run over durable state on the writer's thread.  Keep it short.
  virtual Status Read(const std::function<void(const State&)>& read) = 0;
  // What the newest pass proposed and kept nodes for, without its steps, which are committed; an
  // empty one before the first.  Only within Read.
  virtual const Plan& NewestPlan() const = 0;
  // A sign of life of a node.
  virtual void HeardFrom(NodeId node) = 0;
  // By the instants of the state: what lies between two of them has passed
  // (domain/model/time_line.h).
  virtual Instant Now() = 0;
  // For people and calendars.
  virtual Instant WallNow() = 0;
};

}  // namespace gp
