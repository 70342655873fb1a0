#include "adapters/outbound/memory/memory_journal.h"

#include <algorithm>

namespace gp {

Appended MemoryJournal::Append(uint64_t epoch, uint64_t expected,
                               std::span<const std::string> records) {
  if (fail_next_) {
    fail_next_ = false;
    return {AppendEnd::kUnknown, "journal: no space left"};
  }
  Appended end = fence_.Check(epoch, expected, LastSequence());
  if (end.end != AppendEnd::kDurable) return end;
  records_.insert(records_.end(), records.begin(), records.end());
  for (const std::string& record : records) chain_ = NextChain(chain_, record);
  return end;
}

Status MemoryJournal::ReadAfter(uint64_t sequence,
                                const std::function<Status(uint64_t, std::string_view)>& visit) {
  if (sequence < swept_)
    return Fail(Internal("journal: record " + std::to_string(sequence + 1) + " is missing"));
  for (size_t i = sequence - swept_; i < records_.size(); ++i)
    GP_CHECK_OK(visit(swept_ + i + 1, records_[i]));
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
  return base_ == 0 ? Snapshot{} : Snapshot{base_, snapshots_.at(base_)};
}

Result<std::vector<uint64_t>> MemoryJournal::Snapshots() {
  std::vector<uint64_t> sequences;
  for (const auto& [sequence, bytes] : snapshots_) sequences.push_back(sequence);
  return sequences;
}

Status MemoryJournal::BeginWith(uint64_t snapshot) {
  if (snapshot < base_ || !snapshots_.contains(snapshot))
    return Fail(Conflict("journal: no snapshot of record " + std::to_string(snapshot)));
  base_ = snapshot;
  snapshots_.erase(snapshots_.begin(), snapshots_.find(base_));
  return Ok();
}

Status MemoryJournal::DropSnapshots(std::span<const uint64_t> snapshots) {
  for (const uint64_t sequence : snapshots) {
    if (sequence != base_) snapshots_.erase(sequence);
  }
  return Ok();
}

Result<bool> MemoryJournal::Sweep() {
  constexpr uint64_t kAtOnce = 1'000;
  for (const uint64_t until = std::min(base_, swept_ + kAtOnce); swept_ + 1 < until; ++swept_)
    records_.pop_front();
  return swept_ + 1 < base_;
}

void MemoryJournal::GoOnAfter(const Snapshot& snapshot) {
  swept_ = base_ = snapshot.sequence;
  snapshots_[snapshot.sequence] = snapshot.bytes;
  chain_ = Digest64(snapshot.bytes);  // of no records before
}

}  // namespace gp
