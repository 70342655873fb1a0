#include "experiments/packing/scattered_order.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace gp {
namespace {

// The finalizer of SplitMix64: neighboring values end up far apart.
uint64_t Mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace

std::vector<size_t> ScatteredOrder(size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [](size_t i) { return std::pair(Mix(i), i); });
  return order;
}

}  // namespace gp
