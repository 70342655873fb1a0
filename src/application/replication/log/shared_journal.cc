#include "application/replication/log/shared_journal.h"

#include "base/digest.h"

namespace gp {

// If its own journal fails, the controller stops like any other whose disk is full: the log has the
// batch, and a standby goes on with it.
Appended SharedJournal::Append(uint64_t epoch, uint64_t expected,
                               std::span<const std::string> records) {
  if (expected != log_.last())
    return {AppendEnd::kDeposed, "the shared log ends with record " + std::to_string(log_.last()) +
                                     ", not " + std::to_string(expected)};
  if (Appended shared = log_.Append(records); shared.end != AppendEnd::kDurable) return shared;
  return own_.Append(epoch, expected, records);
}

Status SharedJournal::SaveSnapshot(const Snapshot& snapshot) {
  log_.TellState(snapshot.sequence, Digest64(snapshot.bytes));
  return own_.SaveSnapshot(snapshot);
}

}  // namespace gp
