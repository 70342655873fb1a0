#pragma once

// Backup and restore of the controller's data (docs/operations.md, "Backup").

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "application/backup/copy_journal.h"
#include "base/result.h"
#include "base/time.h"

namespace gp {

// Files that a backup may have beside the journal.
inline constexpr const char* kBackedUpSecrets[] = {"authority.pem", "join-token"};
inline constexpr const char* kBackedUpAudit = "audit";
// Marks a directory as a backup: a state directory has a journal too, and must never be taken for a
// backup.
inline constexpr const char* kBackupSign = "gpu-platform-backup.txt";

// Brings the backup in `directory` up to date, or begins one.
// Errors: kConflict: the directory holds something else, or a backup of another journal; kInternal:
// it cannot be written.
Result<JournalCopy> BackUpJournal(const std::string& directory, const JournalPages& pages);
// Copies the files beside the journal of a controller's directory. Returns what could not be
// copied, and why.
std::vector<std::string> BackUpFiles(const std::string& directory, const std::string& state);

struct RestoreOutcome {
  uint64_t last = 0;      // the newest record
  Instant last_at;        // ns == 0: unknown
  std::string set_aside;  // new name of the previous journal; empty: there was none
};

// Reads the journal of this state directory, whose controller shared its log.  `has_all`: records
// that are missing at its end are an error.  Errors: kNotFound: no journal; kConflict: a controller
// runs there, shared no log, or has never followed one; kInternal: the journal is damaged.
Result<RestoreOutcome> ReadLocal(const std::string& state, bool has_all);

// Makes the journal of this state directory, whose controller shared its log, one from which a log
// begins, or that of a single controller.  All of it is read first.  `has_all`: it is known to have
// every record that was acknowledged; if not, the controller that is started there begins a new
// lineage: whatever agents run is started again.  It may be repeated.  Errors: those of ReadLocal.
Result<RestoreOutcome> AdoptLocal(const std::string& state, bool has_all);

struct RestoreHow {
  bool replace = false;  // files that are there already
  // The controller that is started there goes on as one of several, and no new lineage begins.
  bool as_standby = false;
};

// Makes a state directory from a backup. The backup is read completely first and is not changed.
// Files that are in the way are renamed; they are whole after any crash. The controller that is
// started there begins a new lineage: whatever agents run is started again. Errors: kNotFound: no
// backup; kConflict: a controller runs there, or there is a journal and it is not to be replaced;
// kInternal: the backup is damaged, or a file cannot be written.
Result<RestoreOutcome> Restore(const std::string& directory, const std::string& state,
                               RestoreHow how);

}  // namespace gp
