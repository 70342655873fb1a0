#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "application/control/recover.h"
#include "application/replication/log/shared_log.h"
#include "ports/inbound/control_gateway.h"
#include "ports/outbound/clock.h"
#include "ports/outbound/journal.h"

namespace gp {

// A standby's copy of the state: it applies what the shared log has, and decides nothing.  It keeps
// the records in this controller's own journal too, and saves snapshots there, so that it begins
// near the end after a restart.  One thread at a time calls it, except where a function says
// otherwise.
class Replica {
 public:
  // What stays in its own journal.
  struct Keeping {
    uint64_t records_per_snapshot = 50'000;
    Duration keep_journal;  // older records may be dropped; 0: none may
    // Records after this one stay, because the audit trail lacks them; may be empty.
    std::function<uint64_t()> audited_until;
    FormatRange formats = {};  // of records, that this program reads
  };
  // All outlive it.
  Replica(SharedLog& log, Journal& journal, Clock& clock, Keeping keeping)
      : log_(log), journal_(journal), clock_(clock), keeping_(std::move(keeping)) {}

  // Sees what is applied, as the observers of a controller that leads do, until TakeState.  Before
  // Recover.
  void AddObserver(CommitObserver* observer) { observers_.push_back(observer); }

  // Begins with this controller's own journal.  Errors: kUnsupported: it has a format that this
  // program does not read; kInternal.
  Status Recover();

  // What was known of the time before this process began.
  void Remember(const Recovered::Sight& sight);
  const std::optional<Recovered::Sight>& sight() const { return recovered_.sight; }
  // The leader's time as the head had it when it was last read; nullopt: there was none.
  const std::optional<Instant>& head_time() const { return time_; }

  // Applies some of what the log has beyond it.  True: there was no more when the call began.
  // Errors: kConflict (the log and the journal do not belong together), kUnavailable (the store
  // does not answer), kUnsupported (the next records have a format that this program does not
  // read; all before them are applied), kInternal (damaged, or the journal cannot be written, or
  // the state differs from the leader's; this replica is of no more use then).
  Result<bool> CatchUp();
  // Only learns the leader's time.  nullopt: there is no log.  Errors: kUnavailable, kInternal.
  Result<std::optional<LogHead>> SeeHead();

  const FormatRange& formats() const { return keeping_.formats; }
  // The record after which its state, or that of its process before, was another than the leader's
  // when they were compared last; 0: it was the same, or nothing was compared yet.
  uint64_t differs_after() const { return differs_after_; }
  void RememberDifference(uint64_t after) { differs_after_ = after; }

  Journal& journal() { return journal_; }
  uint64_t applied() const { return applied_; }
  uint64_t chain() const { return chain_; }
  const State& state() const { return recovered_.state; }
  // The state for a controller that begins to lead.  The replica is empty then.
  Recovered TakeState();

  // Runs `read` on the state as of the end of a chunk of the log.  One `read` runs at a time, and
  // nothing is applied meanwhile: keep it short.  Errors: kUnavailable: there is no state, before
  // Recover and after TakeState.  Any thread.
  Status Read(const std::function<void(const State&)>& read);
  // For how long the state may already have lacked what the log has.  nullopt: it has never had
  // all of it.  Any thread.
  std::optional<Duration> Age() const;
  // The leader's time, measured on by this machine's boot clock; never before the newest record.
  // Any thread.
  Instant Now() const;

 private:
  // Reads what the log has beyond it, up to some chunk at least.  True: that was all.
  Result<bool> ApplyUpTo(const LogHead& head);
  void SeeTime(const LogHead& head);
  // Whether it was noted long before it could be read.  REQUIRES: a sight, if any, is of its term.
  bool CameLate(const LogHead& head, int64_t now_ns);
  void MeasureFrom(Instant time, int64_t boot_ns) { clock_offset_ns_ = time.ns - boot_ns; }
  // Whether it can read all records of the chunk.
  Status CheckFormats(const LogChunk& chunk) const;
  // Its state with the leader's, where the chunk tells it.  Errors: kInternal: they differ.
  Status Compare(const LogChunk& chunk);
  // Adds the chunk's events to `applied`.
  Status Apply(const LogChunk& chunk, CommittedRecords& applied);
  Status SaveSnapshotWhenDue();
  Error OtherHistory() const;

  SharedLog& log_;
  Journal& journal_;
  Clock& clock_;
  const Keeping keeping_;
  std::vector<CommitObserver*> observers_;
  std::mutex reading_;  // guards the state and `has_state_` against readers on other threads
  bool has_state_ = false;
  Recovered recovered_;
  std::atomic<int64_t> had_all_at_ns_ = -1;   // boot time; -1: never
  std::atomic<int64_t> clock_offset_ns_ = 0;  // from boot time to the leader's
  std::atomic<int64_t> last_at_ns_ = 0;       // of the newest record
  std::optional<Instant> time_;               // the leader's, as last read
  int64_t time_read_ns_ = 0;                  // boot time of that read
  int64_t behind_ns_ = 0;  // how far the last note that came late was behind the time by then
  uint64_t differs_after_ = 0;
  std::optional<Snapshot> same_;  // was the leader's state too, and is not saved yet
  uint64_t applied_ = 0;
  uint64_t chain_ = 0;  // of the last record
  uint64_t term_ = 0;   // of the newest chunk
};

}  // namespace gp
