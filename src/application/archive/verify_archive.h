#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "application/archive/sealed_archive.h"
#include "base/done_watch.h"
#include "base/result.h"

namespace gp {

struct ArchiveReport {
  uint64_t lineage = 0;
  uint64_t first = 0;  // the first record that was folded
  uint64_t last = 0;   // the newest one that can be restored
  uint64_t objects = 0;
  uint64_t snapshots = 0;  // that agree with the records before them, or begin the archive
  // The snapshot of this record and all that follows it are sound and lead to the newest record; 0:
  // those of none.
  uint64_t verified = 0;
  std::vector<std::string> faults;
};

struct VerifyOptions {
  uint64_t lineage = 0;   // 0: the newest one
  bool only_new = false;  // from the newest snapshot that was verified before on
};

// Reads the objects of a lineage, folds its records, and compares the state with each snapshot.
// Every object that is damaged, missing or of no use is a fault.  Errors: kNotFound: there is no
// such archive; those of ObjectStore.
Result<ArchiveReport> VerifyArchive(SealedArchive& archive, const VerifyOptions& options,
                                    const DoneWatch& watch = {});

// The wanted lineage; 0: the one that goes on nowhere else.  Errors: kNotFound: there is none, or
// not that one; kConflict: there are several.
Result<uint64_t> FindLineage(const std::map<uint64_t, LineageObjects>& lineages, uint64_t wanted);

}  // namespace gp
