// A copy of a journal goes on behind records that could not be copied.

#include "adapters/outbound/sqlite/sqlite_journal.h"

namespace gp {

Status SqliteJournal::GoOnAfter(const Snapshot& snapshot) {
  if (snapshot.sequence <= last_sequence_) return Fail(Conflict("journal " + path_ + ": has record " + std::to_string(snapshot.sequence) + " already"));
  constexpr uint64_t kFirstChain = 0;
  GP_CHECK_OK(Run("BEGIN IMMEDIATE", "go on"));
  Status saved = InsertSnapshot(snapshot, kFirstChain);
  if (saved) saved = Run("COMMIT", "go on");
  if (!saved) {
    (void)Run("ROLLBACK", "go on");
    return saved;
  }
  GP_CHECK_OK(LoadTail());
  return mark_.Raise(last_sequence_);
}

}  // namespace gp
