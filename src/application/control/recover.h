#pragma once

// From a journal to a state, and the proof that the journal says what today's rules would.

#include <string>
#include <vector>

#include "base/done_watch.h"
#include "domain/cluster/state.h"
#include "ports/outbound/journal.h"

namespace gp {

struct Recovered {
  State state;
  Instant last_at;       // of the last record, or of the snapshot's last one
  uint64_t records = 0;  // folded after the snapshot
};

// The latest snapshot and all records after it.
Result<Recovered> RecoverState(Journal& journal);

// When this record was written, so that time goes on from there; ns == 0: it is not there, and
// nobody knows.
Instant TimeOf(Journal& journal, uint64_t sequence);

struct ReplayReport {
  // Record that was folded: more than 1 where older ones were dropped
  uint64_t first = 1;
  uint64_t records = 0;
  uint64_t events = 0;
  uint64_t plans = 0;                    // scheduling passes planned again
  uint64_t digest = 0;                   // of the final state
  std::vector<std::string> differences;  // empty: bit-identical.  At most kDifferencesMax.
};
inline constexpr size_t kDifferencesMax = 100;

// Folds the journal again; with `verify`, decides every command and plans every pass anew and
// compares.  Where old records were dropped, from the snapshot that stands for them.
Result<ReplayReport> Replay(Journal& journal, bool verify, const DoneWatch& watch = {});

}  // namespace gp
