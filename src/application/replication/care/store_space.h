#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "ports/outbound/operator_log.h"
#include "ports/outbound/quorum_store.h"

namespace gp {

// Whether the store has room for more jobs.  A store that is full takes no writes at all until an
// operator has freed some space, so new jobs are refused before, and everything else goes on.
class StoreSpace {
 public:
  // `quota`: bytes at which the store is full.  Both outlive it.
  StoreSpace(QuorumStore& store, uint64_t quota, OperatorLog& log)
      : store_(store), quota_(quota), log_(log) {}

  // Looks once.  One thread at a time.  Errors: kUnavailable; what was seen last counts on.
  Status Look();
  // Errors: kResourceExhausted.  Any thread.
  Status AcceptsJobs() const;

 private:
  std::string Text() const;

  QuorumStore& store_;
  const uint64_t quota_;
  OperatorLog& log_;
  std::atomic<uint64_t> used_ = 0;
  std::atomic<uint64_t> file_ = 0;
  std::atomic<bool> is_short_ = false;
};

}  // namespace gp
