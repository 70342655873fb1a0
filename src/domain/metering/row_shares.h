#pragma once

// Thousandths of GPUs by rows of the book.

#include <cstdint>
#include <utility>
#include <vector>

#include "domain/metering/usage.h"

namespace gp {

class RowShares {
 public:
  void Add(const UsageKey& row, int64_t share);
  // Each row once, in their order, without those that come to nothing.  Empties this.
  std::vector<std::pair<UsageKey, int64_t>> Sum();

 private:
  std::vector<std::pair<UsageKey, int64_t>> shares_;
};

}  // namespace gp
