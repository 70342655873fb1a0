#include "base/cpu_set.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "base/text.h"

namespace gp {

Result<CpuSet> CpuSet::Parse(std::string_view list) {
  CpuSet set;
  if (list.empty()) return set;
  for (const std::string& part : Split(list, ',')) {
    const size_t dash = part.find('-');
    const auto first = ParseCount(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : ParseCount(part.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= kMax) {
      return Fail(
          InvalidArgument("\"" + Printable(list, 60) + "\" is not a CPU list such as 0-3,8"));
    }
    set.AddRange(static_cast<int>(*first), static_cast<int>(*last));
  }
  return set;
}

void CpuSet::Add(int cpu) {
  GP_ASSERT(cpu >= 0 && cpu < kMax, "CPU numbers are below CpuSet::kMax");
  const auto word = static_cast<size_t>(cpu) / 64;
  if (words_.size() <= word) words_.resize(word + 1);
  words_[word] |= uint64_t{1} << (cpu % 64);
}

void CpuSet::AddRange(int first, int last) {
  for (int cpu = first; cpu <= last; ++cpu) Add(cpu);
}

void CpuSet::Remove(int cpu) {
  const auto word = static_cast<size_t>(cpu) / 64;
  if (cpu < 0 || word >= words_.size()) return;
  words_[word] &= ~(uint64_t{1} << (cpu % 64));
  Trim();
}

bool CpuSet::Contains(int cpu) const {
  const auto word = static_cast<size_t>(cpu) / 64;
  return cpu >= 0 && word < words_.size() && (words_[word] >> (cpu % 64) & 1) != 0;
}

int CpuSet::Count() const {
  int count = 0;
  for (const uint64_t word : words_) count += std::popcount(word);
  return count;
}

std::vector<int> CpuSet::Members() const {
  std::vector<int> members;
  for (size_t i = 0; i < words_.size(); ++i) {
    for (uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
      members.push_back(static_cast<int>(i * 64) + std::countr_zero(rest));
    }
  }
  return members;
}

CpuSet CpuSet::Lowest(int count) const {
  CpuSet lowest;
  for (const int cpu : Members()) {
    if (count-- <= 0) break;
    lowest.Add(cpu);
  }
  return lowest;
}

CpuSet CpuSet::Union(const CpuSet& other) const {
  CpuSet result = *this;
  result.words_.resize(std::max(words_.size(), other.words_.size()));
  for (size_t i = 0; i < other.words_.size(); ++i) result.words_[i] |= other.words_[i];
  return result;
}

CpuSet CpuSet::Minus(const CpuSet& other) const {
  CpuSet result = *this;
  const size_t shared = std::min(words_.size(), other.words_.size());
  for (size_t i = 0; i < shared; ++i) result.words_[i] &= ~other.words_[i];
  result.Trim();
  return result;
}

CpuSet CpuSet::Intersect(const CpuSet& other) const {
  CpuSet result;
  result.words_.resize(std::min(words_.size(), other.words_.size()));
  for (size_t i = 0; i < result.words_.size(); ++i) result.words_[i] = words_[i] & other.words_[i];
  result.Trim();
  return result;
}

std::string CpuSet::ToString() const {
  std::string text;
  const std::vector<int> members = Members();
  for (size_t i = 0; i < members.size();) {
    size_t last = i;
    while (last + 1 < members.size() && members[last + 1] == members[last] + 1) ++last;
    if (!text.empty()) text += ",";
    text += std::to_string(members[i]);
    if (last > i) text += "-" + std::to_string(members[last]);
    i = last + 1;
  }
  return text;
}

CpuSet CpuSet::FromWords(std::vector<uint64_t> words) {
  CpuSet set;
  set.words_ = std::move(words);
  set.Trim();
  return set;
}

void CpuSet::Trim() {
  while (!words_.empty() && words_.back() == 0) words_.pop_back();
}

}  // namespace gp
