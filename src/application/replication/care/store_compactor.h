#pragma once

#include <cstdint>
#include <optional>

#include "application/replication/log/shared_log.h"
#include "ports/outbound/clock.h"

namespace gp {

// Lets the store forget what its keys were more than about a minute ago: each append and each note
// of the time leaves a head behind.  One thread at a time calls it.
class StoreCompactor {
 public:
  // All outlive it.
  StoreCompactor(QuorumStore& store, const StoreKeys& keys, Clock& clock)
      : log_(store, keys), clock_(clock) {}

  // What is due.  Errors: kUnavailable; the next call tries again.
  Status Turn();

 private:
  SharedLog log_;
  Clock& clock_;
  std::optional<uint64_t> seen_;  // a revision of the store, and the boot time at which it was new
  int64_t seen_ns_ = 0;
};

}  // namespace gp
