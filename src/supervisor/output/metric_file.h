#pragma once

// Writes the metrics that a job reports: many values of one name become one point
// (supervisor/records/metric_record.h).  The longer the job runs, the rarer its points are: each
// stands for a second at first, then for a thousandth of the time so far, and for a minute at most.
// So a file of any age stays small, and its bytes never change.

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "files/descriptor.h"
#include "ports/outbound/metric_store.h"

namespace gp {

class MetricFile {
 public:
  // The file is made with the first point, in the directory that has this path now: the supervisor
  // may leave the host's root before.  It stays the supervisor's: a job that wrote to it could
  // report more than this class lets through.
  explicit MetricFile(const std::string& path);

  struct Moment {
    Instant at;           // wall clock
    int64_t boot_ns = 0;  // CLOCK_BOOTTIME
  };
  // A value of a report.  False: the name is one too many.
  bool Take(const std::string& name, int64_t step, double value, const Moment& now);
  // The report that has come at `now` is taken whole.  If a value of it became NaN, or a number
  // again, its values are written at once and together, so that a reader sees the whole step; a
  // series is written so for the sake of others at most once in the time between two points.
  void FinishReport(const Moment& now);
  // Writes the link at once, if it is a new one.  False: its name is one too many, or its links
  // have changed too often.
  bool TakeLink(const JobLink& link);
  // Boot time at which the next point is due; INT64_MAX: none is.
  int64_t NextAtNs() const;
  // Writes the points that are due; at the job's end all.
  void WriteDue(int64_t boot_ns);
  void Finish() { WriteDue(INT64_MAX); }
  // errno of the last point that was lost; 0: none was.
  int last_error() const { return last_error_; }

 private:
  struct Series {
    MetricPoint point;          // count 0: nothing since the last one was written
    int64_t due_ns = 0;         // boot time
    bool is_finite = true;      // the last value
    int64_t next_early_ns = 0;  // of a series that becomes NaN, or a number again
    int64_t next_with_ns = 0;   // of one that is written because another one turned
  };
  int64_t Spacing(int64_t boot_ns) const;
  // With the end of the report.
  void WriteEarly(Series& series);
  void Write(const std::string& lines);

  Descriptor directory_;
  int directory_error_ = 0;  // errno, where there is none
  std::string name_;
  Descriptor file_;
  int64_t bytes_ = 0;
  int64_t began_ns_ = 0;  // boot time of the first value; 0: there was none
  int last_error_ = 0;
  std::map<std::string, Series> series_;
  std::string early_;                         // lines that the end of the report writes
  std::map<std::string, std::string> links_;  // URLs by name
  int links_written_ = 0;
};

}  // namespace gp
