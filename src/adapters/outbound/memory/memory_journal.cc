#include "adapters/outbound/memory/memory_journal.h"

namespace gp {

Status MemoryJournal::Append(std::span<const std::string> records) {
  if (fail_next_) {
    fail_next_ = false;
    return Fail(Internal("journal: no space left"));
  }
  records_.insert(records_.end(), records.begin(), records.end());
  return Ok();
}

Status MemoryJournal::ReadAfter(uint64_t sequence,
                                const std::function<Status(uint64_t, std::string_view)>& visit) {
  for (uint64_t i = sequence; i < records_.size(); ++i) GP_CHECK_OK(visit(i + 1, records_[i]));
  return Ok();
}

Status MemoryJournal::SaveSnapshot(const Snapshot& snapshot) {
  snapshot_ = snapshot;
  return Ok();
}

}  // namespace gp
