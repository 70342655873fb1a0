#pragma once

#include <cstdint>

#include "application/backup/copy_journal.h"
#include "ports/outbound/journal.h"

namespace gp {

// The records after `after`, about a megabyte of them, which takes the writer a millisecond or two.
// Where they were dropped or are damaged, and for a copy from the beginning of a journal that has a
// base: a piece of the base, or of a newer snapshot, from `base_offset` on.  Errors:
// kInvalidArgument (the journal ends before `after`), kInternal (damaged).
Result<JournalPage> ReadPage(JournalReader& journal, uint64_t after, uint64_t base_offset);

}  // namespace gp
