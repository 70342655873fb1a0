#pragma once

// A copy of a journal, brought up to date page by page while the journal is written: records never
// change, so a copy that has those up to some number only lacks those after it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/outbound/journal.h"

namespace gp {

struct JournalPage {
  uint64_t first = 0;                // number of the first of `records`
  std::vector<std::string> records;  // in order, without gaps
  uint64_t last = 0;                 // of the newest record that the journal has now
  // In place of records that are damaged there or gone: a piece of its bytes
  std::optional<Snapshot> base;
  uint64_t base_bytes = 0;  // of all pieces
};

// The records after a number; at least one where there are any.  Of a base the bytes from
// `base_offset` on. kInvalidArgument: the journal ends before it.
using JournalPages = std::function<Result<JournalPage>(uint64_t after, uint64_t base_offset)>;

struct JournalCopy {
  uint64_t added = 0;
  uint64_t last = 0;  // the newest record that it has
};

// Appends to `copy` what it lacks of the records that there are when it begins.  `go_on_after`
// makes the copy go on from a snapshot. Errors: kConflict: the copy is one of another journal, or
// of one that was cut since, and stays as it was; those of the source and of the copy, which then
// has some of the new records.
Result<JournalCopy> CopyJournal(Journal& copy, const JournalPages& pages,
                                const std::function<Status(const Snapshot&)>& go_on_after);

}  // namespace gp
