#pragma once

// A fixed order of bins that does not depend on the order of the list. Among equal scores the first
// bin wins, so a list sorted by size or model would collect tenants on the wrong bins.

#include <cstddef>
#include <vector>

namespace gp {

// A permutation of 0 … count - 1, the same at each call.
std::vector<size_t> ScatteredOrder(size_t count);

template <typename T>
std::vector<T> Scattered(const std::vector<T>& listed) {
  std::vector<T> scattered;
  scattered.reserve(listed.size());
  for (const size_t i : ScatteredOrder(listed.size())) scattered.push_back(listed[i]);
  return scattered;
}

}  // namespace gp
