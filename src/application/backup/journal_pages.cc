#include "application/backup/journal_pages.h"

#include <algorithm>

namespace gp {
namespace {

constexpr size_t kPageBytes = 1 << 20;
constexpr size_t kBaseBytes = 16 << 20;  // larger, because a copy has only one base

// Fills the page with the records after `after`.
Status FillRecords(JournalReader& journal, uint64_t after, JournalPage& page) {
  size_t bytes = 0;
  const Status read =
      journal.ReadAfter(after, [&](uint64_t sequence, std::string_view record) -> Status {
        if (page.records.empty()) page.first = sequence;
        page.records.emplace_back(record);
        bytes += record.size();
        return bytes < kPageBytes ? Ok() : Fail(Unavailable("the page is full"));
      });
  // Records before a damaged one are sound; the next page fails at the damaged record.
  return page.records.empty() ? read : Ok();
}

// An offset beyond the end belongs to an earlier base, which this one has replaced; the reader sees
// that by the sequence number.
void FillBase(const Snapshot& snapshot, uint64_t offset, JournalPage& page) {
  const size_t from = std::min<size_t>(offset, snapshot.bytes.size());
  page.base = Snapshot{snapshot.sequence, snapshot.bytes.substr(from, kBaseBytes)};
  page.base_bytes = snapshot.bytes.size();
}

// A copy from the beginning begins with the base: records before it might be dropped faster than
// they can be read.
bool BeginsWithBase(JournalReader& journal, uint64_t after) {
  return after == 0 && journal.BaseNumber().value_or(0) > 0;
}

}  // namespace

Result<JournalPage> ReadPage(JournalReader& journal, uint64_t after, uint64_t base_offset) {
  JournalPage page;
  page.last = journal.LastSequence();
  if (after > page.last)
    return Fail(
        InvalidArgument("after: the journal ends with record " + std::to_string(page.last)));
  Status read = Fail(NotFound("record 1 was dropped"));
  if (!BeginsWithBase(journal, after)) read = FillRecords(journal, after, page);
  if (read) return page;
  // Old records were dropped or are damaged: the copy begins, or continues, after a snapshot.
  const auto base = journal.Base();
  const Snapshot snapshot =
      base && base->sequence > after ? *base : GP_TRY(journal.LatestSnapshot());
  if (snapshot.sequence <= after) return Fail(read.error());
  FillBase(snapshot, base_offset, page);
  return page;
}

}  // namespace gp
