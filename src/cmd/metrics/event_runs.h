#pragma once

// A job's metrics as event files that TensorBoard shows: the job is a run, its further ranks are
// runs below it.  TensorBoard drops what comes before a step that goes back, so superseded points,
// where they are wanted, are in runs of their own: one for each attempt.

#include <set>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "cmd/metrics/series_points.h"

namespace gp {

class EventRuns {
 public:
  // Makes the directory.  kInvalidArgument: it cannot be made, or is no directory.
  static Result<EventRuns> Open(const std::string& directory, const v1::Job& job, bool by_attempt);

  // Adds to the files, as TensorBoard reads those that grow.  A file that this object has not
  // written before is replaced.
  Status Append(const SeriesPoints& points);
  // The job's files have these points and no others: each file is replaced at once, and those of
  // runs without points are removed.
  Status Replace(const SeriesPoints& points);

  const std::set<std::string>& files() const { return files_; }

 private:
  EventRuns() = default;
  std::string FileOf(const SeriesPoint& one) const;
  Status ReplaceOne(const std::string& file, const std::string& records) const;
  void RemoveOthers() const;

  std::string run_;   // directory of the job
  std::string name_;  // of each file: the same at each call
  Instant submitted_at_;
  bool by_attempt_ = false;
  std::set<std::string> files_;  // that this object has written
};

}  // namespace gp
