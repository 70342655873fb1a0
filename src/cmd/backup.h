#pragma once

// Copies of what a controller keeps, and the way back (docs/operations.md, "Backup").

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "application/backup/copy_journal.h"
#include "base/result.h"
#include "base/time.h"

namespace gp {

// What a backup has beside the journal, where it is there.
inline constexpr const char* kBackedUpSecrets[] = {"authority.pem", "join-token"};
inline constexpr const char* kBackedUpAudit = "audit";
// Says that a directory is a backup: a state directory has a journal too, and must never be taken
// for one.
inline constexpr const char* kBackupSign = "gpu-platform-backup.txt";

// Brings the backup in `directory` up to date, or begins one.
// Errors: kConflict: the directory holds something else, or a backup of another journal; kInternal:
// it cannot be written.
Result<JournalCopy> BackUpJournal(const std::string& directory, const JournalPages& pages);
// What lies beside the journal in a controller's directory.  Returns what could not be copied, and
// why.
std::vector<std::string> BackUpFiles(const std::string& directory, const std::string& state);

struct RestoreOutcome {
  uint64_t last = 0;      // the newest record
  Instant last_at;        // ns == 0: nobody knows
  std::string set_aside;  // what the journal that was there is called now; empty: there was none
};

// Makes a state directory of a backup.  The backup is read whole first and stays as it is; what is
// in its way is renamed, whole after any crash. The controller that is started there begins a new
// lineage: whatever agents run, starts again. Errors: kNotFound: no backup; kConflict: a controller
// runs there, or there is a journal and `replace` was not said; kInternal: the backup is damaged,
// or a file cannot be written.
Result<RestoreOutcome> Restore(const std::string& directory, const std::string& state,
                               bool replace);

}  // namespace gp
