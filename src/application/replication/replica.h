#pragma once

#include <cstdint>
#include <functional>
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
// near the end after a restart.  One thread at a time calls it.
class Replica {
 public:
  // What stays in its own journal.
  struct Keeping {
    uint64_t records_per_snapshot = 50'000;
    Duration keep_journal;  // older records may be dropped; 0: none may
    // Records after this one stay, because the audit trail lacks them; may be empty.
    std::function<uint64_t()> audited_until;
    // Sees what is applied, as the observers of a controller that leads do; nullptr: nobody does.
    CommitObserver* observer = nullptr;
    FormatRange formats = {};  // of records, that this program reads
  };
  // All outlive it.
  Replica(SharedLog& log, Journal& journal, Clock& clock, Keeping keeping)
      : log_(log), journal_(journal), clock_(clock), keeping_(std::move(keeping)) {}

  // Begins with this controller's own journal.  Errors: kUnsupported: it has a format that this
  // program does not read; kInternal.
  Status Recover();

  // What was known of the time before this process began.
  void Remember(const Recovered::Sight& sight) { recovered_.sight = sight; }
  const std::optional<Recovered::Sight>& sight() const { return recovered_.sight; }
  // The leader's time as the head had it when it was last read; nullopt: there was none.
  const std::optional<Instant>& head_time() const { return time_; }

  // Applies some of what the log has beyond it.  True: there was no more when the call began.
  // Errors: kConflict (the log and the journal do not belong together), kUnavailable (the store
  // does not answer), kUnsupported (the next records have a format that this program does not
  // read; all before them are applied), kInternal (damaged, or the journal cannot be written).
  Result<bool> CatchUp();
  // Only learns the leader's time.  Errors: kUnavailable, kInternal.
  Status SeeHead();

  const FormatRange& formats() const { return keeping_.formats; }

  Journal& journal() { return journal_; }
  uint64_t applied() const { return applied_; }
  uint64_t chain() const { return chain_; }
  const State& state() const { return recovered_.state; }
  // The state for a controller that begins to lead.  The replica is empty then.
  Recovered TakeState() { return std::exchange(recovered_, {}); }

 private:
  void SeeTime(const LogHead& head);
  // Whether it can read all records of the chunk.
  Status CheckFormats(const LogChunk& chunk) const;
  // Adds the chunk's events to `applied`.
  Status Apply(const LogChunk& chunk, CommittedRecords& applied);
  Status SaveSnapshotWhenDue();
  Error OtherHistory() const;

  SharedLog& log_;
  Journal& journal_;
  Clock& clock_;
  const Keeping keeping_;
  Recovered recovered_;
  std::optional<Instant> time_;  // the leader's, as last read
  int64_t time_read_ns_ = 0;     // boot time of that read
  uint64_t applied_ = 0;
  uint64_t chain_ = 0;  // of the last record
  uint64_t term_ = 0;   // of the newest chunk
};

}  // namespace gp
