#pragma once

// The lead of one of several controllers, as a part of its start.

#include <functional>
#include <memory>
#include <optional>

#include "application/replication/lead_keeper.h"
#include "application/replication/shared_journal.h"
#include "application/replication/standby.h"
#include "application/replication/store_leadership.h"
#include "cmd/serve/storage_parts.h"

namespace gp {

// A controller decides nothing, and opens no door, before it leads.  Without a store it is the only
// one.  With a store it follows the shared log as a standby until nobody else leads.
class LeadPart : public Component {
 public:
  struct Standing {
    std::function<void()> begins;    // it follows the log
    std::function<bool()> is_ended;  // it is to stop; asked several times a second
  };
  LeadPart(const ControllerConfig& config, OperatorLog& log, Clock& clock, JournalPart& own,
           RecordsPart& records, Standing standing)
      : config_(config),
        log_(log),
        clock_(clock),
        own_(own),
        records_(records),
        standing_(std::move(standing)) {}
  // Returns when this controller leads.  kUnavailable: it was to stop before.
  Status Start() override;
  // Gives the lead up, so that a standby need not wait.
  void Stop() override;

  bool is_shared() const { return store_ != nullptr; }
  // It leads with a shared log that a leader has written before.
  bool has_older_log() const { return standby_ && standby_->head().term != 0; }
  Journal& journal() { return journal_ ? *journal_ : own_.journal(); }
  // nullptr: no other controller can lead.
  Leadership* leadership() { return leadership_ ? &*leadership_ : nullptr; }
  // Of a controller that was a standby.
  std::optional<Recovered> TakeState();

 private:
  Status Connect();
  Status Follow();
  void Lead();
  uint64_t AuditedUntil() const;
  [[noreturn]] void StopDeposed(const std::string& why);

  const ControllerConfig& config_;
  OperatorLog& log_;
  Clock& clock_;
  JournalPart& own_;
  RecordsPart& records_;
  const Standing standing_;
  std::unique_ptr<QuorumStore> store_;
  std::optional<SharedLog> log_of_all_;
  std::optional<LeaderKey> key_;
  std::optional<Replica> replica_;
  std::optional<Standby> standby_;
  std::optional<LogWriter> writer_;
  std::optional<SharedJournal> journal_;
  std::optional<StoreLeadership> leadership_;
  std::optional<LeadKeeper> keeper_;
};

}  // namespace gp
