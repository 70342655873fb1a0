#pragma once

// Updates a copy of a journal, page by page, while the journal is written.  Records never change,
// so a copy that has all records up to some number lacks only those after it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/outbound/journal.h"

namespace gp {

// Some consecutive records of a journal, or a piece of its base.
struct JournalPage {
  uint64_t first = 0;                // number of the first of `records`
  std::vector<std::string> records;  // in order, without gaps
  uint64_t last = 0;                 // of the newest record that the journal has now
  // In place of records that are damaged or dropped there: a piece of the snapshot's bytes
  std::optional<Snapshot> base;
  uint64_t base_bytes = 0;  // of all pieces
};

// Returns the records after a number, at least one if there are any; of a base, the bytes from
// `base_offset` on.  Errors: kInvalidArgument (the journal ends before `after`).
using JournalPages = std::function<Result<JournalPage>(uint64_t after, uint64_t base_offset)>;

// The result of one update.
struct JournalCopy {
  uint64_t added = 0;
  uint64_t last = 0;  // the newest record that it has
};

// Appends to `copy` the records that it lacks of those that exist at the start.  `go_on_after`
// makes the copy continue after a snapshot.  Errors: kConflict (the copy is of another journal, or
// of one that was cut since; the copy stays unchanged); errors of the source and of the copy, which
// then has some of the new records.
Result<JournalCopy> CopyJournal(Journal& copy, const JournalPages& pages,
                                const std::function<Status(const Snapshot&)>& go_on_after);

}  // namespace gp
