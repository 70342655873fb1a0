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

// `places` are the base (if there is one) and all snapshots behind it, oldest first.  `keep`:
// records stay so long at least; 0: for ever.

// The snapshots that may be the next base, the best first: the newest that is as old as what is to
// be kept.
std::vector<uint64_t> NextBases(std::span<const SnapshotPlace> places, Instant now, Duration keep);

// Those that nobody needs, where `base` is the first record's (0: there is none).
std::vector<uint64_t> SuperfluousSnapshots(std::span<const SnapshotPlace> places, uint64_t base,
                                           Duration keep);

struct JournalRetention {
  Duration keep;
  // Records of higher numbers stay for now, whatever their age: somebody needs them
  uint64_t until = UINT64_MAX;
};

// After a snapshot was saved; the room is given back by Journal::Sweep.
Status DropOld(Journal& journal, Instant now, const JournalRetention& retention);

}  // namespace gp
