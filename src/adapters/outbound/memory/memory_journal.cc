#include "adapters/outbound/memory/memory_journal.h"

#include <algorithm>

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
  if (sequence < dropped_) return Fail(Internal("journal: record " + std::to_string(sequence + 1) + " is missing"));
  for (size_t i = sequence - dropped_; i < records_.size(); ++i) GP_CHECK_OK(visit(dropped_ + i + 1, records_[i]));
  return Ok();
}

Status MemoryJournal::SaveSnapshot(const Snapshot& snapshot) {
  snapshots_[snapshot.sequence] = snapshot.bytes;
  return Ok();
}

Result<Snapshot> MemoryJournal::LatestSnapshot() {
  if (snapshots_.empty()) return Snapshot{};
  return Snapshot{snapshots_.rbegin()->first, snapshots_.rbegin()->second};
}

Result<Snapshot> MemoryJournal::Base() {
  if (dropped_ == 0) return Snapshot{};
  const auto base = snapshots_.lower_bound(dropped_);
  if (base == snapshots_.end()) return Fail(Internal("journal: no snapshot of what was dropped"));
  return Snapshot{base->first, base->second};
}

Result<std::vector<uint64_t>> MemoryJournal::Snapshots() {
  std::vector<uint64_t> sequences;
  for (const auto& [sequence, bytes] : snapshots_) sequences.push_back(sequence);
  return sequences;
}

Status MemoryJournal::Drop(std::span<const uint64_t> snapshots, uint64_t first_kept) {
  const bool stays = snapshots_.contains(first_kept) && std::ranges::find(snapshots, first_kept) == snapshots.end();
  if (first_kept > 0 && !stays) return Fail(Conflict("journal: no snapshot of record " + std::to_string(first_kept) + " would stay"));
  for (const uint64_t sequence : snapshots) snapshots_.erase(sequence);
  for (; dropped_ + 1 < first_kept; ++dropped_) records_.pop_front();
  return Ok();
}

}  // namespace gp
