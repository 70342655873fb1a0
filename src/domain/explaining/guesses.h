#pragma once

#include <optional>
#include <set>

#include "domain/explaining/lengths.h"

namespace gp {

// Over kSlices plays a job gets each slice once; the orders of any two jobs are nearly independent.
int SliceOf(JobId job, int play);

// Draws job lengths for one play of a forecast: in each play a job gets another slice of the
// lengths of similar jobs.  Used by one thread.
class Guesses {
 public:
  Guesses(const Lengths& lengths, int play) : lengths_(lengths), play_(play) {}

  // The total work of a job that has completed `done` of it and still runs, regardless of its time
  // limit. nullopt: no similar job has finished.
  std::optional<Duration> WorkOf(const Job& job, Duration done);

  // The groups of finished jobs that were used; their order has no meaning.
  const std::set<const AlikeRuns*>& consulted() const { return consulted_; }

 private:
  const Lengths& lengths_;
  const int play_;
  std::set<const AlikeRuns*> consulted_;
};

}  // namespace gp
