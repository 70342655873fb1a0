#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gp {

// The value below which `percent` of all values are; 0 if there are none.
template <typename T>
T Percentile(std::vector<T> values, size_t percent) {
  if (values.empty()) return T{};
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(
                                       std::min(values.size() - 1, values.size() * percent / 100));
  std::ranges::nth_element(values, at);
  return *at;
}

}  // namespace gp
