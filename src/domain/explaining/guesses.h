#pragma once

// What the lengths of jobs come to in one play of what may follow: each job gets another slice of
// its lengths in each play.

#include <optional>
#include <set>

#include "domain/explaining/lengths.h"

namespace gp {

// Over kSlices plays a job gets each slice once, and any two jobs get them in orders that have
// hardly to do with each other.
int SliceOf(JobId job, int play);

class Guesses {
 public:
  Guesses(const Lengths& lengths, int play) : lengths_(lengths), play_(play) {}

  // The whole work of a job that has done so much of it and is not over, whatever its time limit
  // says. nullopt: nothing like it has finished.
  std::optional<Duration> WorkOf(const Job& job, Duration done);

  // From which finished jobs; their order means nothing.
  const std::set<const AlikeRuns*>& consulted() const { return consulted_; }

 private:
  const Lengths& lengths_;
  const int play_;
  std::set<const AlikeRuns*> consulted_;
};

}  // namespace gp
