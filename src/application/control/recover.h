#pragma once

// Rebuilds the state from a journal, and verifies that the present rules would decide the same.

#include <optional>
#include <string>
#include <vector>

#include "base/done_watch.h"
#include "domain/cluster/codec/format.h"
#include "domain/cluster/state/state.h"
#include "ports/outbound/journal.h"

namespace gp {

// The state as of the end of a journal.
struct Recovered {
  State state;
  Instant last_at;       // of the last record, or of the snapshot's last one, or noted later
  uint64_t records = 0;  // applied after the snapshot
  // What a controller that followed another one knows of the time.  Its own clocks measure on.
  struct Sight {
    Instant time;         // the other one's
    int64_t boot_ns = 0;  // this machine's boot clock, at that time or later
    uint64_t term = 0;    // of the other one
    bool operator==(const Sight&) const = default;
  };
  std::optional<Sight> sight;
};

// Applies all records after the latest snapshot to it.  Errors: kUnsupported: a program of another
// release has written a format that is not in the range; kInternal.
Result<Recovered> RecoverState(JournalReader& journal, const FormatRange& formats = {});

// When this record was written, so that time continues from there; ns == 0: unknown, because the
// record does not exist.
Instant TimeOf(JournalReader& journal, uint64_t sequence, const FormatRange& formats = {});

// The result of a replay.
struct ReplayReport {
  // The first record that was applied: more than 1 if older ones were dropped
  uint64_t first = 1;
  uint64_t records = 0;
  uint64_t events = 0;
  uint64_t plans = 0;                    // scheduling passes planned again
  uint64_t digest = 0;                   // of the final state
  std::vector<std::string> differences;  // empty: bit-identical.  At most kDifferencesMax.
};
inline constexpr size_t kDifferencesMax = 100;

// Applies the journal again; with `verify`, also decides every command and plans every pass again
// and compares the results.  If old records were dropped, starts from the base.
Result<ReplayReport> Replay(JournalReader& journal, bool verify, const DoneWatch& watch = {},
                            const FormatRange& formats = {});

}  // namespace gp
