#include "application/backup/copy_journal.h"

#include <algorithm>

#include "base/ignore_result.h"

namespace gp {
namespace {

// The newest record of the copy; empty: the copy has only a snapshot.
std::string NewestOf(Journal& copy) {
  std::string newest;
  IgnoreResult(copy.ReadAfter(copy.LastSequence() - 1,
                              [&](uint64_t, std::string_view bytes) {
                                newest = bytes;
                                return Ok();
                              }),
               "a record that is missing leaves the value empty");
  return newest;
}

Error OfAnother(uint64_t last) {
  return Conflict("record " + std::to_string(last) +
                  " differs in the source, or is missing there: this copy is of another journal, "
                  "or the source was cut since.  Keep this copy, and start a new one elsewhere");
}

// A page with all pieces of its base, if it has one.  Starts again if the source gets another base
// in the meantime.
Result<JournalPage> PageWithBase(const JournalPages& pages, uint64_t after) {
  JournalPage page = GP_TRY(pages(after, 0));
  while (page.base && page.base->bytes.size() < page.base_bytes) {
    JournalPage next = GP_TRY(pages(after, page.base->bytes.size()));
    if (!next.base || next.base->sequence != page.base->sequence) {
      page = GP_TRY(pages(after, 0));
      continue;
    }
    if (next.base->bytes.empty())
      return Fail(Internal("the snapshot of record " + std::to_string(page.base->sequence) +
                           " ends too soon"));
    page.base->bytes += next.base->bytes;
  }
  return page;
}

// For a copy that has only a snapshot: that must still be the base of the source.
Status CompareBase(Journal& copy, const JournalPages& pages) {
  const Snapshot mine = GP_TRY(copy.Base());
  const JournalPage page = GP_TRY(PageWithBase(pages, 0));
  const bool is_same =
      page.base && page.base->sequence == mine.sequence && page.base->bytes == mine.bytes;
  return is_same ? Ok() : Status(Fail(OfAnother(copy.LastSequence())));
}

// The records after those of the copy.  Each page includes the copy's newest record, which must be
// equal in both: otherwise the source has become another journal.  A record contains its time in
// nanoseconds, so no other record is equal.
Result<JournalPage> NextPage(Journal& copy, const JournalPages& pages) {
  const uint64_t last = copy.LastSequence();
  if (last == 0) return PageWithBase(pages, 0);
  const std::string newest = NewestOf(copy);
  if (newest.empty()) {
    GP_CHECK_OK(CompareBase(copy, pages));
    return PageWithBase(pages, last);
  }
  auto page = pages(last - 1, 0);
  if (!page && page.error().code != ErrorCode::kInvalidArgument) return Fail(page.error());
  const bool is_there = page && !page->base && page->first == last && !page->records.empty();
  if (!is_there || page->records.front() != newest) return Fail(OfAnother(last));
  // The end of the journal, or a record that fills a page
  if (page->records.size() == 1) return PageWithBase(pages, last);
  page->records.erase(page->records.begin());
  ++page->first;
  return page;
}

}  // namespace

Result<JournalCopy> CopyJournal(Journal& copy, const JournalPages& pages,
                                const std::function<Status(const Snapshot&)>& go_on_after) {
  const uint64_t before = copy.LastSequence();
  bool is_behind_base = false;  // there is no record to compare yet
  uint64_t until = UINT64_MAX;  // later records are left to the next update
  while (copy.LastSequence() < until) {
    JournalPage page =
        GP_TRY(is_behind_base ? PageWithBase(pages, copy.LastSequence()) : NextPage(copy, pages));
    is_behind_base = page.base.has_value();
    until = std::min(until, page.last);
    if (page.base) {
      GP_CHECK_OK(go_on_after(*page.base));
      continue;
    }
    if (page.records.empty()) break;
    if (page.first != copy.LastSequence() + 1)
      return Fail(Internal("asked for record " + std::to_string(copy.LastSequence() + 1) +
                           ", got " + std::to_string(page.first)));
    const Appended added = copy.Append(0, copy.LastSequence(), page.records);
    if (added.end != AppendEnd::kDurable) return Fail(Internal(added.why));
  }
  return JournalCopy{copy.LastSequence() - before, copy.LastSequence()};
}

}  // namespace gp
