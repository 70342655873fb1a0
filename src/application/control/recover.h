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

struct ReplayReport {
  uint64_t records = 0;
  uint64_t events = 0;
  uint64_t plans = 0;                    // scheduling passes planned again
  uint64_t digest = 0;                   // of the final state
  std::vector<std::string> differences;  // empty: bit-identical.  At most kDifferencesMax.
};
inline constexpr size_t kDifferencesMax = 100;

// Folds the journal again; with `verify`, decides every command and plans every pass anew and
// compares.  REQUIRES: the journal still has its first record.
Result<ReplayReport> Replay(Journal& journal, bool verify, const DoneWatch& watch = {});

}  // namespace gp
