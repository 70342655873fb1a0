#include "application/replication/care/store_compactor.h"

namespace gp {
namespace {

constexpr Duration kForgetsAfter = Duration::Seconds(60);
constexpr uint64_t kForgetsAfterBytes = uint64_t{64} << 20;
// Between two revisions that are kept in mind.
constexpr Duration kNotesEvery = Duration::Seconds(10);
constexpr uint64_t kNotesEveryBytes = uint64_t{16} << 20;

}  // namespace

Status StoreCompactor::Turn() {
  GP_CHECK_OK(ForgetOld());
  if (!seen_.empty() && !IsPast(seen_.back(), kNotesEvery, kNotesEveryBytes)) return Ok();
  const uint64_t written = written_.bytes();
  const std::optional<LogHead> head = GP_TRY(log_.Head());
  if (head) seen_.push_back({head->revision, clock_.BootNs(), written});
  return Ok();
}

// The newest one that is old enough.
Status StoreCompactor::ForgetOld() {
  size_t old = 0;
  while (old < seen_.size() && IsPast(seen_[old], kForgetsAfter, kForgetsAfterBytes)) ++old;
  if (old == 0) return Ok();
  GP_CHECK_OK(log_.store().Forget(seen_[old - 1].revision));
  seen_.erase(seen_.begin(), seen_.begin() + static_cast<int64_t>(old));
  return Ok();
}

bool StoreCompactor::IsPast(const Seen& seen, Duration time, uint64_t bytes) const {
  return clock_.BootNs() - seen.at_ns >= time.ns || written_.bytes() - seen.written >= bytes;
}

}  // namespace gp
