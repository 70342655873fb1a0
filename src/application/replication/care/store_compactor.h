#pragma once

#include <cstdint>
#include <deque>

#include "application/replication/log/new_chunks.h"
#include "application/replication/log/shared_log.h"
#include "ports/outbound/clock.h"

namespace gp {

// Lets the store forget what its keys were more than about a minute or 64 MiB of records ago: each
// append and each note of the time leaves a head behind, and each chunk stays though it was
// trimmed.  One thread at a time calls it.
class StoreCompactor {
 public:
  // All outlive it.
  StoreCompactor(QuorumStore& store, const StoreKeys& keys, Clock& clock, const NewChunks& written)
      : log_(store, keys), clock_(clock), written_(written) {}

  // What is due.  Errors: kUnavailable; the next call tries again.
  Status Turn();

 private:
  // A revision of the store that was the newest one of the log.
  struct Seen {
    uint64_t revision = 0;
    int64_t at_ns = 0;     // boot time
    uint64_t written = 0;  // bytes of records, until then
  };
  Status ForgetOld();
  bool IsPast(const Seen& seen, Duration time, uint64_t bytes) const;

  SharedLog log_;
  Clock& clock_;
  const NewChunks& written_;
  std::deque<Seen> seen_;
};

}  // namespace gp
