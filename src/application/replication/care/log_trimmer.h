#pragma once

#include <cstdint>
#include <deque>

#include "application/replication/care/live_members.h"
#include "application/replication/care/trim_policy.h"
#include "application/replication/log/new_chunks.h"
#include "application/replication/log/shared_log.h"
#include "ports/outbound/clock.h"

namespace gp {

// Removes the oldest chunks of the shared log while this controller leads.  It never removes the
// chunk in which the log ends, and what it leaves has no gap, wherever it is interrupted: each
// transaction removes all that is before some record.  One thread at a time calls it; not the
// writer's, which must not wait for it.
class LogTrimmer {
 public:
  // `begun_at`: the log's last record when the term began.  `written`: notes every chunk that this
  // term has written.  All outlive it.
  LogTrimmer(QuorumStore& store, const StoreKeys& keys, Clock& clock, uint64_t term,
             uint64_t begun_at, NewChunks& written, const TrimLimits& limits)
      : log_(store, keys),
        board_(store, keys),
        clock_(clock),
        term_(term),
        begun_at_(begun_at),
        written_(written),
        limits_(limits),
        last_(begun_at),
        live_(limits.live_for) {}

  // One step.  True: the next one is due at once; false: in some seconds.  Errors: kUnavailable (to
  // be tried again), kConflict (the term is over).
  Result<bool> Turn();

 private:
  void TakeWritten();
  Result<bool> ReadOlder();
  Result<bool> Remove(size_t count);

  SharedLog log_;
  MemberBoard board_;
  Clock& clock_;
  const uint64_t term_;
  const uint64_t begun_at_;
  NewChunks& written_;
  const TrimLimits limits_;

  // All chunks of the log, once those of before this term have been read.
  std::deque<ChunkPlace> chunks_;
  size_t older_ = 0;       // how many of them are from before this term
  bool has_read_ = false;  // there is no older one
  uint64_t last_;          // the log's last record
  LiveMembers live_;
};

}  // namespace gp
