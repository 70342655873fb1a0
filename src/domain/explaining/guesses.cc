#include "domain/explaining/guesses.h"

#include <algorithm>

namespace gp {
namespace {

// Scatters numbers that lie side by side over all that there are (the last step of SplitMix64).
uint64_t Scatter(uint64_t number) {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9ull;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebull;
  return number ^ (number >> 31);
}

}  // namespace

// Straight lines over a prime field: a slope and an offset of its own for each of 110 jobs in a row.
int SliceOf(JobId job, int play) {
  const auto offset = static_cast<int>(job.value % kSlices);
  const auto slope = static_cast<int>(job.value / kSlices % (kSlices - 1)) + 1;
  return (slope * play + offset) % kSlices;
}

// Poisson's distribution with a mean of one, in thousandths.
int WeightOf(size_t run, int play) {
  const uint64_t drawn = Scatter((uint64_t{run} + 1) * kSlices + static_cast<uint64_t>(play)) % 1'000;
  constexpr uint64_t kBelow[] = {368, 736, 920, 981};
  return static_cast<int>(std::ranges::upper_bound(kBelow, drawn) - std::begin(kBelow));
}

const std::vector<Duration>& Guesses::Redrawn(const AlikeRuns& group) {
  const auto [known, is_new] = redrawn_.try_emplace(&group);
  std::vector<Duration>& lengths = known->second;
  if (!is_new) return lengths;
  for (const auto& [length, run] : group.runs) lengths.insert(lengths.end(), static_cast<size_t>(WeightOf(run, play_)), length);
  // Of a few all may have been left out.
  if (lengths.empty()) lengths.push_back(group.runs[group.runs.size() / 2].first);
  return lengths;
}

std::optional<Duration> Guesses::WorkOf(const Job& job, Duration done) {
  const std::optional<Duration> longest = LongestWork(job, done);
  limits_told_ |= longest.has_value();
  const AlikeRuns* alike = lengths_.Alike(job);
  if (alike == nullptr) return longest;
  const Duration guess = GuessWork(Redrawn(*alike), done, SliceOf(job.id, play_));
  return longest ? std::min(guess, *longest) : guess;
}

}  // namespace gp
