#pragma once

// How long jobs may run, estimated from similar finished jobs.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "domain/explaining/present.h"
#include "domain/model/jobs/job_shape.h"

namespace gp {

inline constexpr size_t kAlikeEnough = 5;  // similar jobs that an estimate needs

// Finished jobs that are similar in some respect.
struct AlikeRuns {
  // Length, and position in Present::past; ascending.
  std::vector<std::pair<Duration, size_t>> runs;
};

// The lengths of finished jobs, grouped by name, shape, user and queue.  Immutable after
// construction.
class Lengths {
 public:
  explicit Lengths(const std::vector<PastRun>& past);

  // The most similar group that is large enough: the user's jobs of its name, else of its shape,
  // else all of the user's, else those of the queue, else all. nullptr: there is none.
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

// Lengths are divided into this number of equally likely slices, in ascending order.
inline constexpr int kSlices = 11;  // a prime: see SliceOf

// The mean total work within a slice, for a job that has completed `done` and still runs.
Duration GuessWork(const AlikeRuns& alike, Duration done, int slice);

}  // namespace gp
