#pragma once

// Which snapshots and records a journal keeps: docs/formats/journal.md, "What is kept".

#include <span>
#include <vector>

#include "base/time.h"
#include "ports/outbound/journal.h"

namespace gp {

// A snapshot's position in the journal.
struct SnapshotPlace {
  uint64_t sequence = 0;
  Instant at;  // of its last record; ns == 0: the record does not exist
};

// `places` are the base (if there is one) and all later snapshots, oldest first.  `keep`: minimum
// age of dropped records; 0: none are dropped.

// The snapshots that may become the next base: those at least as old as `keep`, newest first.
std::vector<uint64_t> NextBases(std::span<const SnapshotPlace> places, Instant now, Duration keep);

// Snapshots that are not needed; `base` is the number of the base (0: there is none).
std::vector<uint64_t> SuperfluousSnapshots(std::span<const SnapshotPlace> places, uint64_t base,
                                           Duration keep);

// Limits of what may be dropped.
struct RetentionLimits {
  Duration keep;
  // Records with higher numbers are still needed and stay, whatever their age
  uint64_t until = UINT64_MAX;
};

// Drops what may be dropped, after a snapshot was saved; Journal::Sweep frees the disk space.
Status DropOld(Journal& journal, Instant now, const RetentionLimits& retention);

}  // namespace gp
