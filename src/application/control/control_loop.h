#pragma once

// The one writer.  It drains the inbox in batches, decides, applies, makes the batch durable with
// one append, and only then tells anyone: callers, nodes and watchers never see what could still be
// lost. What follows from a batch is planned at the beginning of the next, which comes at once. If
// the journal fails it stops the process: its state would be ahead of its memory.
//
// While its thread rests, whoever has a command does the writer's work in its place, up to the
// answer: two hand-overs between threads cost more than a decision.  One writes at a time all the
// same.

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "application/control/inbox.h"
#include "domain/cluster/audit.h"
#include "domain/cluster/codec.h"
#include "domain/scheduling/planner.h"
#include "ports/outbound/audit_trail.h"
#include "ports/outbound/clock.h"
#include "ports/outbound/journal.h"

namespace gp {

struct ControlOptions {
  Policy policy;
  size_t inbox_max = 100'000;
  size_t batch_max = 1'024;
  uint64_t records_per_snapshot = 50'000;
  Duration keep_journal;  // records older than that may go; 0: none
  // The journal was cut: what was decided after the cut may still run somewhere.
  bool begin_lineage = false;
  AuditTrail* audit = nullptr;         // outlives the loop; nullptr: there is none
  std::function<void()> begin_thread;  // called first on the writer's thread; may be empty
  // No thread: whoever asks does the writer's work until it is answered, and the owner calls Turn.
  bool by_hand = false;
  // When it has not looked at the clock for so long, it was stopped itself: it looks several times
  // a second.
  Duration asleep_min = Duration::Seconds(2);
  // Does not return: the journal takes no more.  Empty: the process ends with a word about it.
  std::function<void()> end_process;
};

class ControlLoop : public ControlGateway {
 public:
  // Recovers the state from the journal and begins a new epoch.  Both ports outlive the loop.
  static Result<std::unique_ptr<ControlLoop>> Open(Journal& journal, Clock& clock,
                                                   ControlOptions options);
  ~ControlLoop() override;

  // Before Start only.
  void AddObserver(CommitObserver* observer) { observers_.push_back(observer); }
  void Start();
  void Stop();
  // One turn of the writer (in place of Start where it is run by hand): answers what waits, does
  // what is due and waits for nothing.  The next is due with the next command or read, and after so
  // long in any case; nullopt: never.
  std::optional<Duration> Turn();

  Outcome Execute(Origin origin, std::string request_id, Command command) override;
  std::vector<Outcome> ExecuteAll(Origin origin,
                                  std::vector<std::pair<std::string, Command>> commands,
                                  const Precondition& precondition) override;
  Status Post(Origin origin, Command command, std::function<void(const Outcome&)> done) override;
  Status Read(const std::function<void(const State&)>& read) override;
  const Plan& NewestPlan() const override { return newest_plan_; }
  void HeardFrom(NodeId node) override;
  Instant Now() override { return {clock_.BootNs() + before_boot_ns_}; }
  Instant WallNow() override { return clock_.Now(); }

 private:
  ControlLoop(Journal& journal, Clock& clock, ControlOptions options);
  Status Recover();
  Status BeginEpoch();
  TimeLine BeginTime(const TimeLine& before);
  void FollowWallClock();
  Status CatchUpAudit();
  void Run();
  void WriteInPlace();
  void Await(std::future<void> answered);
  void Answer(std::vector<InboxItem> items);
  void RunReads();
  Outcome Handle(const CommandItem& item);
  Result<std::vector<Event>> DecideAndApply(Envelope envelope);
  void RunTimers();
  void ForgiveOwnSleep(int64_t boot_ns);
  bool HasHeardBetween(int64_t from_boot_ns, int64_t to_boot_ns);
  void ExpireHeartbeats(int64_t boot_ns);
  void RunPass();
  Status Append();
  void Commit();
  void Publish();
  void SaveSnapshotWhenDue();
  void SweepWhenDue();
  void ReviewBudgets(int64_t boot_ns);
  Duration UntilNextTimer();
  Instant StampTime();

  Journal& journal_;
  Clock& clock_;
  ControlOptions options_;
  Inbox inbox_;
  std::vector<CommitObserver*> observers_;
  std::thread thread_;

  std::mutex writing_;  // guards all below, but what was heard
  bool rests_ = false;  // the writer's thread has done all there was to do
  State state_;
  Planner planner_;
  Plan newest_plan_;
  Instant last_at_;             // envelopes never go back in time
  int64_t before_boot_ns_ = 0;  // TimeLine::before_boot; from Open on it stays
  bool plan_needed_ = true;
  Instant plan_again_at_;  // ns == 0: only when something happens
  // Boot time of the last look for silent nodes; 0: there was none
  int64_t looked_at_ns_ = 0;
  // Boot time before which no node can be silent for too long
  int64_t no_expiry_before_ns_ = 0;
  std::optional<BudgetKey> reviewed_;  // the newest of this round; none: a round begins
  int64_t review_not_before_ns_ = 0;   // boot time of the next round
  std::vector<std::string> batch_records_;
  std::vector<Event> batch_events_;
  std::vector<std::pair<size_t, Record>> batch_audited_;  // with their places in batch_records_
  // Durable, and not told yet; with their numbers
  std::vector<std::pair<uint64_t, Record>> audited_;
  std::vector<ReadItem> batch_reads_;
  uint64_t records_since_snapshot_ = 0;
  bool sweeps_ = true;               // the journal may have dropped what still takes room
  int64_t sweep_not_before_ns_ = 0;  // boot time

  std::mutex heard_mutex_;
  std::map<NodeId, int64_t> heard_;  // boot time of the last sign of life
};

}  // namespace gp
