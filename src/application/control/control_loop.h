#pragma once

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "application/control/heartbeats.h"
#include "application/control/inbox.h"
#include "application/control/recover.h"
#include "domain/cluster/audit.h"
#include "domain/cluster/codec/codec.h"
#include "domain/scheduling/planner.h"
#include "ports/outbound/audit_trail.h"
#include "ports/outbound/clock.h"
#include "ports/outbound/journal.h"
#include "ports/outbound/leadership.h"
#include "ports/outbound/operator_log.h"

namespace gp {

// The exit code of a controller that another one has deposed.
inline constexpr int kExitDeposed = 4;

// Settings of a ControlLoop.
struct ControlOptions {
  Policy policy;
  size_t inbox_max = 100'000;
  size_t batch_max = 1'024;
  uint64_t records_per_snapshot = 50'000;
  Duration keep_journal;  // older records may be dropped; 0: none may
  // The journal was cut: jobs that were started after the cut may still run.
  bool begin_lineage = false;
  AuditTrail* audit = nullptr;           // outlives the loop; nullptr: there is none
  Leadership* leadership = nullptr;      // outlives the loop; nullptr: no other controller can lead
  std::function<Status()> accepts_jobs;  // asked once for each request; empty: it does
  FormatRange formats;                   // of records, that this program reads and writes
  // The newest format that every controller of the cluster reads; 0: unknown.  Asked about once a
  // second, and must not wait.  Empty: the format stays, unless a command raises it.
  std::function<uint64_t()> format_of_all;
  OperatorLog* log = nullptr;          // outlives the loop; nullptr: messages are dropped
  std::function<void()> begin_thread;  // called first on the writer's thread; may be empty
  // No thread: a caller does the writer's work until it has its answer, and the owner calls Turn,
  // before which all messages of nodes were heard.
  bool by_hand = false;
  // For how long messages of nodes are not read, at least, where the process was suspended or is
  // overloaded: Listened is called several times a second.
  Duration deaf_min = Duration::Seconds(2);
  // Called when the journal fails; must not return.  Empty: the process logs a message and exits.
  std::function<void()> end_process;
};

// The single writer.  It takes commands from the inbox in batches, decides and applies them, and
// makes the batch durable with one append.  Only then does it answer and publish, so callers, nodes
// and watchers never see what could still be lost.  The consequences of a batch are planned at the
// start of the next batch, which follows at once.  If the journal fails, the process stops, because
// its state would be ahead of the journal.
//
// While the writer's thread is idle, a calling thread does the writer's work itself, up to its
// answer: two switches between threads cost more than a decision.  Still only one thread writes at
// a time.
class ControlLoop : public ControlGateway {
 public:
  // Recovers the state from the journal and begins a new epoch.  Both ports outlive the loop.
  static Result<std::unique_ptr<ControlLoop>> Open(Journal& journal, Clock& clock,
                                                   ControlOptions options);
  // The same with a state that is recovered already, as of the journal's end.
  static Result<std::unique_ptr<ControlLoop>> Open(Journal& journal, Clock& clock,
                                                   ControlOptions options, Recovered recovered);
  ~ControlLoop() override;

  // Before Start only.
  void AddObserver(CommitObserver* observer) {
    observer->OnBegin(state_, published_);
    observers_.push_back(observer);
  }
  void Start();
  void Stop();
  // One turn of the writer, in place of Start if `by_hand`: answers what is in the inbox and does
  // what is due, without waiting.  The next turn is due at the next command or read, and after the
  // returned time at the latest; nullopt: never.
  std::optional<Duration> Turn();

  Outcome Execute(Origin origin, ClientRequest request, Command command) override;
  std::vector<Outcome> ExecuteAll(Origin origin,
                                  std::vector<std::pair<ClientRequest, Command>> commands,
                                  const Precondition& precondition) override;
  Status Post(Origin origin, Command command, WhenDone done) override;
  Status Read(const std::function<void(const State&)>& read) override;
  void WhenProven(std::function<void()> then) override;
  void WhenProvenSoon(std::function<void()> then) override {
    IsAlone() ? then() : options_.leadership->WhenProvenSoon(std::move(then));
  }
  bool IsAlone() const override { return options_.leadership == nullptr; }
  const Plan& NewestPlan() const override { return newest_plan_; }
  void HeardFrom(NodeId node) override { heartbeats_.Hear(node, clock_.BootNs()); }
  bool Renew(NodeId node) override { return heartbeats_.Renew(node, clock_.BootNs()); }
  void Listened() override { heartbeats_.Listened(clock_.BootNs()); }
  ControllerLoad Load() const override {
    return {heartbeats_.DeafFor(clock_.BootNs()), inbox_.size(), options_.inbox_max};
  }
  ControllerEpoch Epoch() const override { return epoch_; }
  Instant Now() override { return {clock_.BootNs() + before_boot_ns_}; }
  Instant WallNow() override { return clock_.Now(); }

 private:
  ControlLoop(Journal& journal, Clock& clock, ControlOptions options);
  Status Begin(Recovered recovered);
  Status BeginEpoch(const std::optional<Recovered::Sight>& sight);
  TimeLine BeginTime(const TimeLine& before, const std::optional<Recovered::Sight>& sight);
  void RaiseFormatWhenDue();
  uint64_t FormatFor(const Command& command) const;
  void NoteTimeWhenDue();
  void FollowWallClock();
  Status CatchUpAudit();
  void Run();
  void WriteInPlace();
  void Await(std::future<void> answered);
  Status AwaitLead();
  void Answer(std::vector<InboxItem> items);
  void RunReads();
  Outcome Handle(const CommandItem& item);
  Status Admit(const CommandItem& item) const;
  Result<std::vector<Event>> DecideAndApply(Envelope envelope);
  void Perform(Command command);
  void Log(LogLevel level, const std::string& text) const;
  void RunTimers();
  void ExpireHeartbeats();  // declares nodes lost after the heartbeat timeout
  void RunPass();
  Appended Append();
  void Commit();
  void StopUnlessDurable(const Appended& appended);
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

  Heartbeats heartbeats_;
  ControllerEpoch epoch_;  // does not change after Open

  std::mutex writing_;  // guards all below
  bool rests_ = false;  // the writer's thread is idle
  State state_;
  Planner planner_;
  Plan newest_plan_;
  Instant last_at_;             // envelopes never go back in time
  int64_t before_boot_ns_ = 0;  // TimeLine::before_boot; does not change after Open
  bool plan_needed_ = true;
  Instant plan_again_at_;              // ns == 0: only after the next event
  std::optional<BudgetKey> reviewed_;  // the last one of this round; none: a round begins
  int64_t review_not_before_ns_ = 0;   // boot time of the next round
  std::vector<std::string> batch_records_;
  CommittedRecords unpublished_;                          // without their numbers
  CommittedRecords published_;                            // the newest that observers were given
  std::vector<std::pair<size_t, Record>> batch_audited_;  // with their places in batch_records_
  // Durable, but not yet in the audit trail; with their numbers
  std::vector<std::pair<uint64_t, Record>> audited_;
  std::vector<ReadItem> batch_reads_;
  bool has_begun_ = false;  // its epoch is durable
  uint64_t written_ = 0;    // the last record that this controller knows to be durable
  uint64_t records_since_snapshot_ = 0;
  bool sweeps_ = true;               // dropped records may still use disk space
  int64_t sweep_not_before_ns_ = 0;  // boot time
  int64_t note_not_before_ns_ = 0;   // boot time
  int64_t raise_not_before_ns_ = 0;  // boot time
};

}  // namespace gp
