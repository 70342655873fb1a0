#pragma once

// How long jobs may run, by those like them that are over.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "domain/explaining/present.h"
#include "domain/model/job_shape.h"

namespace gp {

inline constexpr size_t kAlikeEnough = 5;  // so many that are alike are needed before they tell

// Finished jobs that are alike in something.
struct AlikeRuns {
  // Length, and position in Present::past; the shortest first
  std::vector<std::pair<Duration, size_t>> runs;
};

class Lengths {
 public:
  explicit Lengths(const std::vector<PastRun>& past);

  // The nearest group that has enough: the user's jobs of its name, else of its shape, else all of
  // the user's, else of the queue, else all.  nullptr: there is none.
  const AlikeRuns* Alike(const Job& job) const;

 private:
  template <typename Key>
  using Groups = std::map<Key, AlikeRuns>;

  Groups<std::pair<std::string, std::string>> by_name_;  // of a user
  Groups<std::pair<std::string, JobShape>> by_shape_;    // of a user
  Groups<std::string> by_user_;
  Groups<std::string> by_queue_;
  AlikeRuns all_;
};

// Of what may happen there are so many equally likely slices, the shortest first.
inline constexpr int kSlices = 11;  // a prime: see SliceOf

// The mean of the slice of what a job's work comes to that has done so much of it and is not over.
Duration GuessWork(const AlikeRuns& alike, Duration done, int slice);

}  // namespace gp
