#pragma once

// Which snapshots and records a journal keeps: docs/formats/journal.md, "What is kept".

#include <span>
#include <vector>

#include "base/time.h"
#include "ports/outbound/journal.h"

namespace gp {

struct SnapshotPlace {
  uint64_t sequence = 0;
  Instant at;  // of its last record; ns == 0: that is not there
};

struct JournalDrops {
  std::vector<uint64_t> snapshots;
  uint64_t first_kept = 0;  // records before it are dropped; 0: none

  bool operator==(const JournalDrops&) const = default;
};

// `places`: all snapshots, oldest first; `base`: the one that the journal begins behind, 0 where it has record 1.
// Records stay for `keep` at least (0: for ever), and some time longer: until a snapshot that old stands for them.
JournalDrops WhatToDrop(std::span<const SnapshotPlace> places, uint64_t base, Instant now, Duration keep);

// After a snapshot was saved.
Status DropOld(Journal& journal, Instant now, Duration keep);

}  // namespace gp
