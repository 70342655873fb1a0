#include "domain/metering/row_shares.h"

#include <algorithm>

namespace gp {

void RowShares::Add(const UsageKey& row, int64_t share) {
  // Calls are ordered by node and GPU, and so mostly go to the previous row.
  if (!shares_.empty() && shares_.back().first == row) {
    shares_.back().second += share;
  } else {
    shares_.emplace_back(row, share);
  }
}

std::vector<std::pair<UsageKey, int64_t>> RowShares::Sum() {
  std::ranges::sort(shares_);
  std::vector<std::pair<UsageKey, int64_t>> sums;
  for (auto& [row, share] : shares_) {
    if (!sums.empty() && sums.back().first == row) {
      sums.back().second += share;
    } else {
      sums.emplace_back(std::move(row), share);
    }
  }
  shares_.clear();
  std::erase_if(sums, [](const auto& one) { return one.second == 0; });
  return sums;
}

}  // namespace gp
