#pragma once

#include <cstdint>
#include <string>

#include "application/archive/restore_archive.h"
#include "cmd/admin/archive_key.h"
#include "cmd/admin/backup.h"

namespace gp {

struct RestoreFromArchive {
  ArchiveAccess access;
  std::string state;  // the state directory, which has no journal
  ArchiveRestoreOptions options;
  bool replace_claim = false;  // somebody has restored the lineage before, and is gone for good
};

struct RestoredState {
  RestoredArchive archive;
  RestoreOutcome outcome;
};

// Makes a state directory from an archive, and claims its lineage.  The controller that is started
// there begins a new one.  Errors: those of RestoreArchive, ClaimLineage and Restore.
Result<RestoredState> RestoreStateFromArchive(const RestoreFromArchive& how,
                                              const DoneWatch& watch = {});

}  // namespace gp
