#pragma once

// What the lengths of jobs come to in one play of what may follow: each job gets another slice of its
// lengths in each play, and each play another history, as the one that there is came by chance too.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "domain/explaining/lengths.h"

namespace gp {

// Over kSlices plays a job gets each slice once, and any two jobs get them in orders that have hardly to
// do with each other.
int SliceOf(JobId job, int play);

// How often a finished job counts in a play: never, once, seldom more; once on average.
int WeightOf(size_t run, int play);

class Guesses {
 public:
  Guesses(const Lengths& lengths, int play) : lengths_(lengths), play_(play) {}

  // The whole work of a job that has done so much of it and is not over.  nullopt: nothing like it has
  // finished, and it has no time limit.
  std::optional<Duration> WorkOf(const Job& job, Duration done);

  // From which finished jobs; whether time limits had a say.
  const std::map<const AlikeRuns*, std::vector<Duration>>& consulted() const { return redrawn_; }
  bool limits_told() const { return limits_told_; }

 private:
  const std::vector<Duration>& Redrawn(const AlikeRuns& group);

  const Lengths& lengths_;
  const int play_;
  std::map<const AlikeRuns*, std::vector<Duration>> redrawn_;  // whose order means nothing
  bool limits_told_ = false;
};

}  // namespace gp
