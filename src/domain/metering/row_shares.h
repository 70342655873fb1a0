#pragma once

// Thousandths of GPUs by rows of the usage ledger.

#include <cstdint>
#include <utility>
#include <vector>

#include "domain/metering/usage.h"

namespace gp {

// Collects changes of rows and sums them up.  Used by one thread at a time.
class RowShares {
 public:
  void Add(const UsageKey& row, int64_t share);
  // Each row once, in order, without rows whose sum is 0.  Empties the object.
  std::vector<std::pair<UsageKey, int64_t>> Sum();

 private:
  std::vector<std::pair<UsageKey, int64_t>> shares_;
};

}  // namespace gp
