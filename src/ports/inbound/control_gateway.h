#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"
#include "ports/outbound/controller_epoch.h"

namespace gp {

// The result of a command, reported once it is durable.
struct Outcome {
  Status status;
  std::vector<Event> events;
  JobId job;  // of SubmitJob: the new job, or the earlier one if the request id was repeated
};

// Records that follow one another in the journal, durable and applied.
struct CommittedRecords {
  uint64_t after = 0;         // the number of the record before the first
  std::vector<Event> events;  // of all records, in order
  // Where the events of each record end: those of record `after` + 1 are the first ends[0].
  std::vector<size_t> ends;

  uint64_t last() const { return after + ends.size(); }  // the number of the last record
};

// Receives committed changes.  The writer's thread calls it after a durable batch that changed
// something; one call may cover several batches.
class CommitObserver {
 public:
  virtual ~CommitObserver() = default;
  // Called once, before all else: the state that the first batch will change, and the records that
  // it includes last, if any: those of the controller's own start.
  virtual void OnBegin(const State& /*state*/, const CommittedRecords& /*newest*/) {}
  // The state is that after all records of the call, not after each.
  virtual void OnCommit(const State& state, const CommittedRecords& committed) = 0;
};

// How far the controller is behind.
struct ControllerLoad {
  Duration
      deaf;  // for how long messages of nodes have waited unread; 0: they are read as they come
  size_t waiting = 0;      // requests in the inbox
  size_t waiting_max = 0;  // the inbox is full
};

struct Plan;

// A condition of the sender, beyond the rules, on the state that its command is decided on.
using Precondition = std::function<Status(const State&)>;

// Receives the outcome of a command, and the durable state that includes it.
using WhenDone = std::function<void(const Outcome&, const State&)>;

// How the rest of the program changes and reads the state of the cluster.  Any thread may call it,
// except where a function says otherwise.
class ControlGateway {
 public:
  virtual ~ControlGateway() = default;

  // Blocks until the command is durable or refused.  Errors: those of the rules, and kUnavailable
  // (inbox full).
  virtual Outcome Execute(Origin origin, ClientRequest request, Command command) = 0;
  // Executes several commands in order, each with its request id, in one batch if possible.
  // `precondition`, which may be empty, runs once on the writer's thread, just before the first
  // command is decided; if it fails, all commands are refused with its error.
  virtual std::vector<Outcome> ExecuteAll(Origin origin,
                                          std::vector<std::pair<ClientRequest, Command>> commands,
                                          const Precondition& precondition) = 0;
  // Queues the command and returns at once; `done`, which may be empty, runs on the writer's
  // thread.  Errors: kUnavailable (inbox full); then `done` does not run.
  virtual Status Post(Origin origin, Command command, WhenDone done) = 0;
  // Blocks until `read` has run on the writer's thread, on a durable state.  Keep `read` short.
  virtual Status Read(const std::function<void(const State&)>& read) = 0;
  // Calls `then`, on any thread, when it is proven that this controller has led after the call; at
  // once if it is the only one.  An answer that rests on no new record must wait for it.
  virtual void WhenProven(std::function<void()> then) = 0;
  // Likewise, perhaps a tenth of a second later: for heartbeats, of which one proof serves many.
  virtual void WhenProvenSoon(std::function<void()> then) { WhenProven(std::move(then)); }
  // Whether no other controller can lead: WhenProven calls at once.
  virtual bool IsAlone() const = 0;
  // Blocks until the observers have received every change that was answered before the call.
  Status AwaitObservers() {
    return Read([](const State&) {});
  }
  // The plan of the newest scheduling pass, without its steps, which are committed; empty before
  // the first pass.  Only within Read.
  virtual const Plan& NewestPlan() const = 0;
  // Notes that a message of the node has come, which the writer handles.
  virtual void HeardFrom(NodeId node) = 0;
  // Notes a heartbeat.  True: it renews the node's leases; the writer need not be asked.  False:
  // the node counts as lost until the writer has handled a report of it.
  virtual bool Renew(NodeId node) = 0;
  // Notes that all messages of nodes that had come until now were handled or noted.  Called several
  // times a second; without it no node is taken for silent.
  virtual void Listened() = 0;
  virtual ControllerLoad Load() const = 0;
  // This controller: the lineage of its journal, and its epoch.  Neither changes.
  virtual ControllerEpoch Epoch() const = 0;
  // The time line of the state, which nobody steps (domain/model/time_line.h).
  virtual Instant Now() = 0;
  // The wall clock, for people and calendars.
  virtual Instant WallNow() = 0;
};

}  // namespace gp
