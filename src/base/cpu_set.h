#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gp {

// A set of small numbers (CPUs, NUMA nodes); as text in the kernel's list format, "0-3,8,10-11".
class CpuSet {
 public:
  static constexpr int kMax = 4096;  // members are below it; more than any host has

  static Result<CpuSet> Parse(std::string_view list);

  void Add(int cpu);
  void AddRange(int first, int last);
  void Remove(int cpu);
  bool Contains(int cpu) const;
  int Count() const;
  bool Empty() const { return words_.empty(); }
  std::vector<int> Members() const;
  // The `count` lowest members, or all if there are fewer.
  CpuSet Lowest(int count) const;

  CpuSet Union(const CpuSet& other) const;
  CpuSet Minus(const CpuSet& other) const;
  CpuSet Intersect(const CpuSet& other) const;
  bool Intersects(const CpuSet& other) const { return !Intersect(other).Empty(); }

  std::string ToString() const;
  bool operator==(const CpuSet&) const = default;

  const std::vector<uint64_t>& words() const { return words_; }
  static CpuSet FromWords(std::vector<uint64_t> words);

 private:
  void Trim();
  std::vector<uint64_t> words_;  // no trailing zero words, so equality is plain
};

}  // namespace gp
