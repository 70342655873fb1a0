#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "application/archive/sealed_archive.h"
#include "base/done_watch.h"
#include "base/result.h"
#include "ports/outbound/journal.h"

namespace gp {

struct ArchiveRestoreOptions {
  uint64_t lineage = 0;       // 0: the newest one
  bool history = false;       // all records, not only those after the newest snapshot
  bool accepts_loss = false;  // goes as far as it can where something is missing
};

struct RestoredArchive {
  uint64_t lineage = 0;
  uint64_t snapshot = 0;  // with which the journal begins; 0: with its first record
  uint64_t last = 0;      // the newest record
  ArchivedFiles files;
  std::vector<std::string> faults;  // objects that were passed by, and why
};

// An empty journal, in which the restore begins, perhaps once more; the one before is given up.
// `begins_after`: the snapshot with which it begins; sequence 0: none.
using NewJournal = std::function<Result<Journal*>(const Snapshot& begins_after)>;

// Fills a journal with what the archive has.  Errors: kNotFound: there is no such archive;
// kConflict: something is missing or damaged, and losses are not accepted; those of ObjectStore and
// of the journal.
Result<RestoredArchive> RestoreArchive(SealedArchive& archive, const ArchiveRestoreOptions& options,
                                       const NewJournal& new_journal, const DoneWatch& watch = {});

// Takes the lineage for the one that restores it.  `who`: for operators.  Errors: kConflict:
// somebody has done so before; the message says who.
Status ClaimLineage(SealedArchive& archive, uint64_t lineage, const std::string& who);

}  // namespace gp
