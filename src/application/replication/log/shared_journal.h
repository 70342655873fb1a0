#pragma once

#include <functional>
#include <utility>

#include "application/replication/log/shared_log.h"
#include "ports/outbound/journal.h"

namespace gp {

// The journal of a leader that shares its log: a batch is durable when the shared log has it.  This
// controller's own journal gets it afterwards, and serves all reads; snapshots are its own.  One
// thread at a time calls it.
class SharedJournal : public Journal {
 public:
  // What this controller tells of itself when it notes the time.
  using TellsOfItself = std::function<StorePut(Instant now)>;
  // REQUIRES: `own` ends where the log does.  All outlive it.
  SharedJournal(LogWriter& log, Journal& own, TellsOfItself tells)
      : log_(log), own_(own), tells_(std::move(tells)) {}

  Appended Append(uint64_t epoch, uint64_t expected, std::span<const std::string> records) override;
  // For the controller's own records etcd has a limit of its own (docs/controllers.md).
  size_t RecordMax() const override { return kChunkBytes; }
  Appended NoteTime(Instant time) override { return log_.NoteTime(time, {tells_(time)}); }
  Status ReadAfter(uint64_t sequence,
                   const std::function<Status(uint64_t, std::string_view)>& visit) override {
    return own_.ReadAfter(sequence, visit);
  }
  uint64_t LastSequence() const override { return own_.LastSequence(); }
  uint64_t LastChain() const override { return own_.LastChain(); }
  Result<Snapshot> LatestSnapshot() override { return own_.LatestSnapshot(); }
  Result<uint64_t> BaseNumber() override { return own_.BaseNumber(); }
  Result<Snapshot> Base() override { return own_.Base(); }
  Result<std::vector<uint64_t>> Snapshots() override { return own_.Snapshots(); }
  // Standbys compare it with their own state.
  Status SaveSnapshot(const Snapshot& snapshot) override;
  Status BeginWith(uint64_t snapshot) override { return own_.BeginWith(snapshot); }
  Status DropSnapshots(std::span<const uint64_t> snapshots) override {
    return own_.DropSnapshots(snapshots);
  }
  Result<bool> Sweep() override { return own_.Sweep(); }

 private:
  LogWriter& log_;
  Journal& own_;
  const TellsOfItself tells_;
};

}  // namespace gp
