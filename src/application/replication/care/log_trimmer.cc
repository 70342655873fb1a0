#include "application/replication/care/log_trimmer.h"

#include <algorithm>
#include <vector>

namespace gp {
namespace {

constexpr size_t kRemovedMax = 100;  // chunks, by one transaction

}  // namespace

Result<bool> LogTrimmer::Turn() {
  TakeWritten();
  if (!has_read_) return ReadOlder();
  const std::vector<SeenMember> members = GP_TRY(board_.All());
  const int64_t now_ns = clock_.BootNs();
  live_.See(members, now_ns);
  return Remove(CountOfSpareChunks(chunks_, last_, live_.Held(now_ns), limits_));
}

void LogTrimmer::TakeWritten() {
  const NewChunks::Noted written = written_.Take();
  chunks_.insert(chunks_.end(), written.chunks.begin(), written.chunks.end());
  last_ = std::max(last_, written.last);
}

// In parts, because the log may be large; what an earlier term had left of its trimming as well.
Result<bool> LogTrimmer::ReadOlder() {
  const uint64_t from = older_ == 0 ? 0 : chunks_[older_ - 1].first + 1;
  const std::vector<ChunkPlace> older = GP_TRY(log_.ReadPlaces(from, begun_at_));
  chunks_.insert(chunks_.begin() + static_cast<int64_t>(older_), older.begin(), older.end());
  older_ += older.size();
  has_read_ = older.empty();
  return true;
}

// Without an answer the same is removed again.  A transaction that comes late removes what it would
// have removed in time, or nothing, because its term is over.
Result<bool> LogTrimmer::Remove(size_t count) {
  if (count == 0) return false;
  const size_t now = std::min(count, kRemovedMax);
  const StoreKeys& keys = log_.keys();
  StoreTransaction remove;
  remove.conditions = {{keys.Leader(), StoreCondition::Of::kCreated, term_}};
  remove.deletions = {{keys.Chunk(0), keys.Chunk(chunks_[now].first)}};
  const Committed committed = log_.store().Commit(remove);
  if (committed.end == CommitEnd::kUnknown)
    return Fail(Unavailable("the shared log cannot be trimmed: " + committed.why));
  if (committed.end == CommitEnd::kRefused)
    return Fail(Conflict("the shared log is not trimmed: this controller's term is over"));
  chunks_.erase(chunks_.begin(), chunks_.begin() + static_cast<int64_t>(now));
  return now < count;
}

}  // namespace gp
