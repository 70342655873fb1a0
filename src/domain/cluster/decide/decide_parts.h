#pragma once

// What a command results in, in the decide_*.cc of its subject, and the steps that several of them
// share.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

using Events = std::vector<Event>;

// How the audit tells a command.
struct AuditWords {
  std::string operation;  // "SubmitJob"
  std::string object;     // "job-5", "dgx-1", "dgx-1[3]", "research"
  std::string details;    // never a secret
};

// Two overloads for each command: its events, and, if it is kAudited, how the audit tells it.
// `state` of the second may be of any time after it: it provides names, which never change.  The
// linker names one that is missing.
#define GP_DECIDE(Name, ...)                                                                       \
  Result<Events> DecideCommand(const State& state, const Envelope& envelope, const Name& command); \
  AuditWords WordsFor(const State& state, const Events& events, const Name& command);
GP_COMMANDS(GP_DECIDE)
#undef GP_DECIDE

// The node's name for users; of an unknown node only the number is left.
std::string NodeName(const State& state, NodeId id);

// Handles a full list of the node's leases.  `all_missing_ended`: a lease that is not listed does
// not exist; otherwise a lease that never started may still be on its way to the node.
void ObserveLeases(const State& state, Instant at, const Node& node,
                   const std::vector<LeaseObservation>& observed, bool all_missing_ended,
                   Events& events);

// A stop of a job's attempt, and why.
struct OrderedStop {
  StopCause cause = StopCause::kNone;
  std::string reason;
};

// A lease is over: the event, and what follows for its job (others of the gang are stopped, the job
// ends or is queued again).  `stop`: of the job, as its last report asks for it; it counts as
// ordered before the end.  REQUIRES: of one job at most one lease ends per command and node.
void EndLease(const State& state, Instant at, const Lease& lease, const LeaseOutcome& outcome,
              Events& events, const std::optional<OrderedStop>& stop = std::nullopt);

// Begins the remedies of GPUs that nobody uses any more.
void BeginRemedies(const State& state, Instant at, Events& events);
// Closes incidents that had no new reports for their window.
void EndIncidents(const State& state, Instant at, Events& events);
// Stops jobs that still run on a drained node or GPU after its deadline.
void EndDrains(const State& state, Instant at, Events& events);

// Ends the budgets of a queue that is deleted.
void EndBudgets(const State& state, const std::string& queue, Events& events);
// Ends the roles and tokens of a queue that is deleted.
void EndAccess(const State& state, const std::string& queue, Events& events);

// Whether the job may name the reservation that it names.
Status CheckReservationOf(const State& state, const JobSpec& spec, const std::string& user,
                          const Queue& queue);
// Whether the nodes exist, one for each rank of the job.
Status CheckGangNodes(const State& state, const Job& job, const std::vector<NodeId>& nodes);
// Whether the job may start on these nodes once others have left them.
Status CheckPreemptor(const State& state, Instant at, const Job& by,
                      const std::vector<NodeId>& nodes);

}  // namespace gp
