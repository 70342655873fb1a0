#include "application/backup/copy_journal.h"

#include <algorithm>

namespace gp {
namespace {

// Empty: there is only a snapshot of it.
std::string NewestOf(Journal& copy) {
  std::string newest;
  (void)copy.ReadAfter(copy.LastSequence() - 1, [&](uint64_t, std::string_view bytes) {
    newest = bytes;
    return Ok();
  });
  return newest;
}

Error OfAnother(uint64_t last) {
  return Conflict("what is there is no copy of this journal, or the journal was cut since: record " + std::to_string(last) + " is another one, or gone");
}

// The journal still has the newest record of the copy.  It has its time in it, to the nanosecond: no other is the same.
Status CheckGoesOn(Journal& copy, const JournalPages& pages) {
  const uint64_t last = copy.LastSequence();
  const auto page = pages(last - 1);
  if (!page && page.error().code != ErrorCode::kInvalidArgument) return Fail(page.error());
  const bool is_there = page && !page->base && page->first == last && !page->records.empty();
  return is_there && page->records.front() == NewestOf(copy) ? Ok() : Fail(OfAnother(last));
}

}  // namespace

Result<JournalCopy> CopyJournal(Journal& copy, const JournalPages& pages, const std::function<Status(const Snapshot&)>& go_on_after) {
  const uint64_t before = copy.LastSequence();
  if (before > 0) GP_CHECK_OK(CheckGoesOn(copy, pages));
  uint64_t until = UINT64_MAX;  // what is written from then on is for the next time
  while (copy.LastSequence() < until) {
    JournalPage page = GP_TRY(pages(copy.LastSequence()));
    until = std::min(until, page.last);
    if (page.base) {
      GP_CHECK_OK(go_on_after(*page.base));
      continue;
    }
    if (page.records.empty()) break;
    if (page.first != copy.LastSequence() + 1) return Fail(Internal("asked for record " + std::to_string(copy.LastSequence() + 1) + ", got " + std::to_string(page.first)));
    GP_CHECK_OK(copy.Append(page.records));
  }
  return JournalCopy{copy.LastSequence() - before, copy.LastSequence()};
}

}  // namespace gp
